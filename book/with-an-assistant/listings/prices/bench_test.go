package prices_test

import (
	"testing"

	prices "onthestack/book/with-an-assistant/listings/prices"
)

var (
	list  = prices.List{"north/70214": 1995, "north-northwest/70214": 2095}
	price int
)

func BenchmarkOf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		price = list.Of("north", 70214)
	}
}

func BenchmarkPooled(b *testing.B) {
	list.Pooled("north", 70214) // makes the key that is used again
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		price = list.Pooled("north", 70214)
	}
}

func BenchmarkLong(b *testing.B) {
	for i := 0; i < b.N; i++ {
		price = list.Of("north-northwest", 70214)
	}
}
