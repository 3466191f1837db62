package step

import (
	"strings"
	"testing"

	"onthestack/internal/execution"
)

// TestForgedMessages joins a program with a message of the recorder and one that it does not send. The step before
// stays, and the Document says that the recording is broken.
func TestForgedMessages(t *testing.T) {
	p, err := parse(map[string][]byte{"prog.go": []byte("package main\n\nfunc main() {\n\tx := 1\n\tx++\n}\n")}, "play")
	if err != nil {
		t.Fatal(err)
	}
	p.rewrite("main")
	// A frame of main with x, of type int, at 0x40.
	const begun = "Sx\x01\x01\x01\x01\x00\x01\x01\x00\x40\x08\x01t\x011\x00\x00\x00"
	for _, c := range []struct{ name, forged, err string }{
		{"a step", begun, ""},
		{"nothing", "", "ends too early"},
		{"a short step", "Sx\x01", "is missing"},
		{"a longer step", begun + "\x00", "follows its end"},
		{"an event that there is not", "Sy" + begun[2:], "an event is"},
		{"a function that does not exist", "Sx\x01\x01\x01\x01\x7f\x00\x00\x00\x00\x00", "not below 1"},
		{"a statement that does not exist", "Sx\x01\x01\x01\x01\x00\x7f\x00\x00\x00\x00", "not below 3"},
		{"a variable that does not exist", strings.Replace(begun, "\x00\x40", "\x02\x40", 1), "variable of another"},
		{"a type that does not exist", strings.Replace(begun, "\x08\x01", "\x08\x02", 1), "not below 2"},
		{"a kind that there is not", strings.Replace(begun, "t", "z", 1), "is of kind"},
		{"a closure without literals", "Sx\x01\x00\x00\x01\x01\x40\x08\x00k\x00\x01\x40\x00\x00", "of no literal"},
		{"a limit that there is not", "Lx", "unknown limit"},
		{"a limit with more behind it", "Lss", "unknown limit"},
		{"a long type", "T" + string(make([]byte, 201)), "too long a name"},
		{"a message that there is not", "x", "begins with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r execution.Recording
			dec := &decoder{program: p}
			var err error
			for _, text := range []string{"Tint", begun, c.forged} {
				r.Pieces = append(r.Pieces, execution.Piece{Kind: execution.Report, Text: []byte(text)})
				if err == nil {
					_, _, err = dec.message([]byte(text))
				}
			}
			d := join(p, nil, &measurement{}, &r)
			if c.err == "" {
				if err != nil || d.End.Kind != EndReturned || d.Cut != "" || len(d.Steps) != 3 {
					t.Errorf("%v, %+v, cut %q, %d steps", err, d.End, d.Cut, len(d.Steps))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
			if d.End.Kind != EndBroken || d.Cut == "" || len(d.Steps) != 2 || d.Steps[0].Line != 4 {
				t.Errorf("%+v, cut %q, %d steps: %+v", d.End, d.Cut, len(d.Steps), d.Steps[0])
			}
		})
	}
}
