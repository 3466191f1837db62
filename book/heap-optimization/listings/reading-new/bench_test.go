package reading_test

import (
	"testing"

	reading "onthestack/book/heap-optimization/listings/reading-new"
)

var tenths int

func BenchmarkTenths(b *testing.B) {
	for i := 0; i < b.N; i++ {
		tenths = reading.Tenths(3, i)
	}
}
