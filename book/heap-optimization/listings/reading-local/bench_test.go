package reading_test

import (
	"testing"

	reading "onthestack/book/heap-optimization/listings/reading-local"
)

var tenths int

func BenchmarkPointer(b *testing.B) {
	for i := 0; i < b.N; i++ {
		tenths = reading.Pointer(3, i)
	}
}

func BenchmarkValue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		tenths = reading.Value(3, i)
	}
}
