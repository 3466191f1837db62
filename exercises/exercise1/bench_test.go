package cinema_test

import (
	"testing"

	"onthestack/exercises/exercise1"
)

// free is not inlined: in each call, the first seats that append is given have room in its frame.
//
//go:noinline
func free(hall []cinema.Row) []cinema.Seat { return cinema.Free(hall) }

// BenchmarkFree lists the 110 free seats of a hall of 24 rows with 25 seats each.
func BenchmarkFree(b *testing.B) {
	r := newRand(b)
	hall := make([]cinema.Row, 24)
	for i := range hall {
		hall[i] = cinema.Row{Number: i + 1, Sold: make([]bool, 25)}
	}
	for sold := 0; sold < 24*25-110; {
		if seat := &hall[r.IntN(24)].Sold[r.IntN(25)]; !*seat {
			*seat = true
			sold++
		}
	}

	for b.Loop() {
		free(hall)
	}
}
