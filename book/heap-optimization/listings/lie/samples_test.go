package samples_test

import (
	"math"
	"testing"

	samples "onthestack/book/heap-optimization/listings/lie"
)

func TestDecode(t *testing.T) {
	for _, tenths := range []int{0, 1, 215, -1, -215, math.MaxInt16, math.MinInt16} {
		want := samples.Sample{Sensor: 7, Tenths: tenths}
		if got := *samples.Decode([]byte{7, byte(tenths >> 8), byte(tenths)}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
