package order_test

import (
	"testing"

	order "onthestack/book/stack-and-heap/listings/escapes"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		order.New(3)
	}
}

func BenchmarkQueue(b *testing.B) {
	for b.Loop() {
		order.Queue(4)
	}
}

func BenchmarkRemember(b *testing.B) {
	for b.Loop() {
		order.Remember(1042)
	}
}
