package peaks_test

import (
	"testing"

	peaks "onthestack/book/heap-optimization/listings/peaks-values"
)

func BenchmarkFind(b *testing.B) {
	day := []int{150, 152, 151, 149, 155, 171, 170, 172, 169, 160, 158, 161, 150}
	found := peaks.Find(nil, day) // grows before the clock starts
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		found = peaks.Find(found[:0], day)
	}
}
