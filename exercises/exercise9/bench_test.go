package journal_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	journal "onthestack/exercises/exercise9"
)

// A proof compares each frame with the record that it must hold.
type proof struct {
	record []byte
	frames int
	wrong  bool
}

func (p *proof) Write(frame []byte) (int, error) {
	p.frames++
	n := len(p.record)
	size := (n + 15) / 8 * 8
	if len(frame) != size || int(binary.BigEndian.Uint32(frame)) != n || !bytes.Equal(frame[4:4+n], p.record) {
		p.wrong = true
		return len(frame), nil
	}
	for _, c := range frame[4+n : size-4] {
		p.wrong = p.wrong || c != 0
	}
	sum := uint32(2166136261) // FNV-1a
	for _, c := range frame[:size-4] {
		sum = (sum ^ uint32(c)) * 16777619
	}
	p.wrong = p.wrong || binary.BigEndian.Uint32(frame[size-4:]) != sum
	return len(frame), nil
}

// usual is how many operations have records of 40 sizes: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAppend appends records of 7 to 200 bytes, 40 sizes in turn, the small
// between the large ones. No two operations have the same record, and each frame is
// compared with what must come.
//
// After the usual operations the records have all sizes of up to 200 bytes, and room
// after them.
func BenchmarkAppend(b *testing.B) {
	r := newRand(b)
	records := make([][]byte, 40)
	for i := range records {
		records[i] = slices.Clip(randomRecord(r, 7+i*17%40*198/40))
	}

	var out proof
	j := journal.New(&out)
	for _, out.record = range records { // warm up
		if err := j.Append(out.record); err != nil {
			b.Fatal(err)
		}
	}

	all := randomRecord(r, 300)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	out.frames = 0
	b.ResetTimer()
	for i := range b.N {
		out.record = records[i%len(records)]
		number := out.record
		if i > usual {
			from, size := i/201%100, i%201
			out.record, number = all[from:from+size], all[from:]
		}
		binary.BigEndian.PutUint32(number, uint32(clock+i))
		if err := j.Append(out.record); err != nil || out.wrong || out.frames != i+1 {
			b.Fatalf("wrong frames\n  record: %q\n  got:    %d, error %v, one wrong: %v\n"+
				"  want:   %d, error <nil>, one wrong: false", out.record, out.frames, err, out.wrong, i+1)
		}
	}
}
