package price_test

import (
	"testing"

	"onthestack/book/stack-and-heap/listings/price"
)

func BenchmarkFrame(b *testing.B) {
	for b.Loop() {
		price.Frame()
	}
}

func BenchmarkSmall(b *testing.B) {
	for b.Loop() {
		price.Small()
	}
}

func BenchmarkMedium(b *testing.B) {
	for b.Loop() {
		price.Medium()
	}
}

func BenchmarkLarge(b *testing.B) {
	for b.Loop() {
		price.Large()
	}
}
