package order_test

import (
	"testing"

	order "onthestack/book/stack-and-heap/listings/down"
)

// ANCHOR: benchmark
func BenchmarkBill(b *testing.B) {
	for b.Loop() {
		order.Bill(3)
	}
}

// ANCHOR_END: benchmark
