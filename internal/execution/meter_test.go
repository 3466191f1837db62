package execution

import (
	"fmt"
	"testing"
)

// TestBuffer proves that a Buffer keeps what fits, takes the rest without an error, and calls Full once.
func TestBuffer(t *testing.T) {
	full := 0
	b := &Buffer{Meter: &Meter{Left: 5, Full: func() { full++ }}}
	for i, text := range []string{"abc", "de", "", "fgh", "i"} {
		if n, err := fmt.Fprint(b, text); n != len(text) || err != nil {
			t.Errorf("write %d returned %d, %v", i, n, err)
		}
		if over := i >= 3; b.Meter.Exceeded() != over {
			t.Errorf("after write %d exceeded is %v", i, !over)
		}
	}
	if got := string(b.Bytes()); got != "abcde" || full != 1 {
		t.Errorf("kept %q, Full was called %d times", got, full)
	}
}
