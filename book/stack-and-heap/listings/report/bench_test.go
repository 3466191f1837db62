package receipt_test

import (
	"testing"

	receipt "onthestack/book/stack-and-heap/listings/report"
)

var prices = []int{
	320, 450, 320, 1280, 275, 990, 320, 450, 610, 320,
	275, 275, 450, 1990, 320, 610, 450, 320, 990, 275,
}

func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		receipt.First("Corner Tea", prices)
	}
}

func BenchmarkGuessed(b *testing.B) {
	for b.Loop() {
		receipt.Guessed("Corner Tea", prices)
	}
}

func BenchmarkFound(b *testing.B) {
	for b.Loop() {
		receipt.Found("Corner Tea", prices)
	}
}
