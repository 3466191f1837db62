package counter_test

import (
	"bytes"
	"io"
	"testing"

	"onthestack/exercises/exercise24"
)

func BenchmarkAnswer(b *testing.B) {
	c := counter.NewCounter()
	body := bytes.NewReader(typical("RB000000042", "Lund"))
	if err := c.Answer(io.Discard, body); err != nil { // what a Counter keeps is there from now on
		b.Fatal(err)
	}

	for b.Loop() {
		body.Seek(0, io.SeekStart)
		if err := c.Answer(io.Discard, body); err != nil {
			b.Fatal(err)
		}
	}
}
