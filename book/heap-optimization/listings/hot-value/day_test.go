package day_test

import (
	"math"
	"math/rand/v2"
	"testing"

	day "onthestack/book/heap-optimization/listings/hot-value"
)

func TestWarmest(t *testing.T) {
	for range 500 {
		var samples []byte
		want, highest := -1, math.MinInt
		for minute := range rand.IntN(20) {
			tenths := rand.IntN(60) - 30
			if rand.IntN(3) == 0 {
				tenths = math.MinInt16 // missing
			} else if tenths > highest {
				want, highest = minute, tenths
			}
			samples = append(samples, byte(tenths>>8), byte(tenths))
		}
		if got := day.Warmest(samples); got != want {
			t.Fatalf("samples %v: got %d, want %d", samples, got, want)
		}
	}
}
