package grow_test

import (
	"testing"

	"onthestack/book/first/listings/grow"
)

func TestGrow(t *testing.T) {
	if got := len(grow.Grow(3)); got != 3 {
		t.Errorf("got %d zeros, want 3", got)
	}
}

var sink []byte

func BenchmarkGrow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = grow.Grow(100)
	}
}
