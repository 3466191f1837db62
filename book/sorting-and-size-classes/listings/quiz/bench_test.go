package quiz_test

import (
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/quiz"
)

// ANCHOR: benchmark
func BenchmarkOrder(b *testing.B) {
	names := []string{"wren", "heron", "dipper", "tern", "gull"}
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		quiz.Order(names)
	}
}

// ANCHOR_END: benchmark
