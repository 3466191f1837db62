package reading_test

import (
	"testing"

	reading "onthestack/book/heap-optimization/listings/reading-new"
)

func TestTenths(t *testing.T) {
	for _, test := range []struct{ sensor, raw, want int }{{0, 0, 0}, {1, 7, 1}, {3, 14, 1}, {4, 7 + 16, 10}, {4, 7 - 16, -10}} {
		if got := reading.Tenths(test.sensor, test.raw); got != test.want {
			t.Errorf("Tenths(%d, %d) = %d, want %d", test.sensor, test.raw, got, test.want)
		}
	}
}
