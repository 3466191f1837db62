package reading_test

import (
	"testing"

	reading "onthestack/book/heap-optimization/listings/reading-local"
)

func TestTenths(t *testing.T) {
	for _, test := range []struct{ sensor, raw, want int }{{0, 50, 0}, {1, 50, 1}, {2, 66, 10}, {2, 402, 220}, {2, 34, -10}} {
		if got := reading.Pointer(test.sensor, test.raw); got != test.want {
			t.Errorf("Pointer(%d, %d) = %d, want %d", test.sensor, test.raw, got, test.want)
		}
		if got := reading.Value(test.sensor, test.raw); got != test.want {
			t.Errorf("Value(%d, %d) = %d, want %d", test.sensor, test.raw, got, test.want)
		}
	}
}
