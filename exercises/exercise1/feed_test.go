package cinema_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise1"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// newHall returns a hall of that many rows with up to most seats each, of which about
// one in every is free, and its free seats.
func newHall(r *rand.Rand, rows, most, every int) (hall []cinema.Row, free []cinema.Seat) {
	for range rows {
		row := cinema.Row{Number: 1 + r.IntN(1000), Sold: make([]bool, r.IntN(most+1))}
		for i := range row.Sold {
			if row.Sold[i] = r.IntN(every) > 0; !row.Sold[i] {
				free = append(free, cinema.Seat{Row: row.Number, Number: i + 1})
			}
		}
		hall = append(hall, row)
	}
	return hall, free
}

// hallOf returns a hall with n free seats, among some sold ones or many.
func hallOf(r *rand.Rand, n int) (hall []cinema.Row, free []cinema.Seat) {
	every := []int{0, 3, 3, 40}[r.IntN(4)]
	for number := 1; len(free) < n; number++ {
		row := cinema.Row{Number: number}
		for len(row.Sold) < 40 && len(free) < n {
			sold := every == 3 && r.IntN(3) == 0 || every == 40 && r.IntN(40) > 0
			row.Sold = append(row.Sold, sold)
			if !sold {
				free = append(free, cinema.Seat{Row: number, Number: len(row.Sold)})
			}
		}
		hall = append(hall, row)
	}
	return hall, free
}

// freeOf returns the free seats of rows.
func freeOf(rows []cinema.Row) (free []cinema.Seat) {
	for _, row := range rows {
		for i, sold := range row.Sold {
			if !sold {
				free = append(free, cinema.Seat{Row: row.Number, Number: i + 1})
			}
		}
	}
	return free
}
