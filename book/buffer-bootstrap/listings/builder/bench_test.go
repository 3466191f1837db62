package label_test

import (
	"bytes"
	"testing"

	label "onthestack/book/buffer-bootstrap/listings/builder"
)

// ANCHOR: benchmarks

// report keeps the labels: stored in a package variable, none can stay in a frame.
var report string

func BenchmarkEmpty(b *testing.B)     { bench(b, 0) }
func BenchmarkFive(b *testing.B)      { bench(b, 5) }
func BenchmarkSixtyFour(b *testing.B) { bench(b, 64) }
func BenchmarkThousand(b *testing.B)  { bench(b, 1024) }

func bench(b *testing.B, size int) {
	text := bytes.Repeat([]byte("x"), size)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		report = label.Print(text)
	}
}

// ANCHOR_END: benchmarks
