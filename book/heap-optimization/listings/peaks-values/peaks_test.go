package peaks_test

import (
	"math/rand/v2"
	"testing"

	peaks "onthestack/book/heap-optimization/listings/peaks-values"
)

func TestFind(t *testing.T) {
	for range 500 {
		day := make([]int, rand.IntN(12))
		for i := range day {
			day[i] = rand.IntN(4)
		}
		found := peaks.Find(nil, day)
		for i := range day {
			peak := i > 0 && i+1 < len(day) && day[i-1] < day[i] && day[i] >= day[i+1]
			if !peak {
				continue
			}
			if len(found) == 0 || found[0].Minute != i || found[0].Tenths != day[i] {
				t.Fatalf("day %v: no peak at %d", day, i)
			}
			found = found[1:]
		}
		if len(found) > 0 {
			t.Fatalf("day %v: %d peaks too many", day, len(found))
		}
	}
}
