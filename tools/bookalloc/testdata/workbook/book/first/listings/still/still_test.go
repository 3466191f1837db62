package still_test

import (
	"testing"

	"onthestack/book/first/listings/still"
)

func BenchmarkShort(b *testing.B) { run(b, 10) }

func BenchmarkLong(b *testing.B) { run(b, 1000) }

func run(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		if still.Sum(n) == 0 {
			b.Fatal("no sum")
		}
	}
}
