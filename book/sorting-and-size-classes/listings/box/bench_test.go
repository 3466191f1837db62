package box_test

import (
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/box"
)

func BenchmarkOrder(b *testing.B) {
	names := []string{"wren", "heron", "dipper", "tern", "gull"}
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		box.Order(names)
	}
}
