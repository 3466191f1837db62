package step

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

const fuzzed = `package main

var g []*int

func f(n int) (r *int) {
	x := n
	h := func() { x++ }
	h()
	return &x
}

func main() {
	g = append(g, f(1))
}
`

// FuzzRecording joins any messages with a program. A message is two bytes with its length, and its text.
func FuzzRecording(f *testing.F) {
	message := func(texts ...string) (all []byte) {
		for _, text := range texts {
			all = binary.BigEndian.AppendUint16(all, uint16(len(text)))
			all = append(all, text...)
		}
		return all
	}
	p, err := parse(map[string][]byte{"prog.go": []byte(fuzzed)}, "play")
	if err != nil {
		f.Fatal(err)
	}
	p.rewrite("main")
	f.Add(message("Tint", "T*int", "T[]*int", "Ls"))
	// A frame of f with n at 0x80 and a pointer to it in g's array.
	f.Add(message("Tint", "T*int", "T[]*int", "Sb\x01\x01\x01\x01\x00\x00\x01\x01\x80\x01\x08\x01t\x011"+
		"\x01\x00\x40\x18\x03s\xc0\x01\x01\x01\x01\x01\xc0\x01\x08\x02a\x01\x01p\x80\x01\x00\x00"))
	f.Add(message("Sx\x01\x00\x00\x00\x00", "Se\x01\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		var r execution.Recording
		for len(packed) >= 2 {
			n := min(int(binary.BigEndian.Uint16(packed)), len(packed)-2)
			r.Pieces = append(r.Pieces, execution.Piece{Kind: execution.Report, Text: packed[2 : 2+n]})
			packed = packed[2+n:]
		}
		d := join(p, nil, &measurement{missing: "not measured"}, &r)
		if len(d.Steps) > wire.MaxSteps+1 || len(d.Steps) == 0 {
			t.Errorf("%d steps", len(d.Steps))
		}
		for _, s := range d.Steps {
			if len(s.Heap)+len(s.Elsewhere) > wire.MaxSteps*wire.MaxObjects {
				t.Errorf("%d objects", len(s.Heap))
			}
			for _, f := range s.Stack {
				if f.Function >= len(d.Functions) {
					t.Errorf("a frame of function %d", f.Function)
				}
			}
		}
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
	})
}
