package samples_test

import (
	"testing"

	samples "onthestack/book/heap-optimization/listings/lie"
)

// ANCHOR: benchmarks
var record = []byte{3, 0, 215}

func BenchmarkDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		samples.Decode(record)
	}
}

var kept *samples.Sample

func BenchmarkKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		kept = samples.Decode(record)
	}
}

// ANCHOR_END: benchmarks
