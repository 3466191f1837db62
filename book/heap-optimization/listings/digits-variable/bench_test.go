package digits_test

import (
	"testing"

	digits "onthestack/book/heap-optimization/listings/digits-variable"
)

func BenchmarkAppend(b *testing.B) {
	text := make([]byte, 0, 64)
	for i := 0; i < b.N; i++ {
		text = digits.Append(text[:0], 215)
	}
	_ = text
}
