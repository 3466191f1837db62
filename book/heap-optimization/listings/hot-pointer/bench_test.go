package day_test

import (
	"testing"

	day "onthestack/book/heap-optimization/listings/hot-pointer"
)

var minute int

// BenchmarkWarmest looks at a sample for each minute of a day.
func BenchmarkWarmest(b *testing.B) {
	samples := make([]byte, 2*24*60)
	for i := 0; i < 24*60; i++ {
		samples[2*i+1] = byte(i * 7)
	}
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		minute = day.Warmest(samples)
	}
}
