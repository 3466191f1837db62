package notice_test

import (
	"io"
	"testing"

	"onthestack/exercises/exercise23"
)

// BenchmarkFill fills a notice with a value of every kind. Its texts are longer than the 32 bytes that a
// conversion may have on the stack.
func BenchmarkFill(b *testing.B) {
	values := newValues(newRand(b))
	screen := notice.New(io.Discard, zones[1])
	if _, err := screen.Fill("longer than this: "+template, values); err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		screen.Fill(template, values)
	}
}
