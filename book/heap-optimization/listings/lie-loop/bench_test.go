package samples_test

import (
	"testing"

	samples "onthestack/book/heap-optimization/listings/lie-loop"
)

var record = []byte{3, 0, 215}

// ANCHOR: benchmark
func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		samples.Decode(record)
	}
}

// ANCHOR_END: benchmark
