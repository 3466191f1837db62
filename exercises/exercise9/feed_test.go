package depot_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise9"
)

// The ends of the ranges that Event states.
const (
	maxParcel = 9_999_999_999_999
	maxGrams  = 70_000
	maxMillis = 7_289_654_399_999 // 2200-12-31, the last millisecond
	maxSector = 999
	maxCents  = 99_999_999_999
	maxBelt   = 120
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

// anySize returns a number from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// randomEvent draws every field from the whole of its range.
func randomEvent(r *rand.Rand) depot.Event {
	return depot.Event{
		Damaged: r.IntN(2) == 0,
		Parcel:  randomNumber(r, 0, maxParcel),
		Grams:   int(randomNumber(r, 0, maxGrams)),
		Express: r.IntN(2) == 0,
		Signed:  r.IntN(2) == 0,
		Millis:  randomNumber(r, 0, maxMillis),
		Depot:   randomDepot(r, 25),
		Sector:  int(randomNumber(r, -1, maxSector)),
		Cents:   randomNumber(r, 0, maxCents),
		Belt:    int(randomNumber(r, -1, maxBelt)),
	}
}

// randomNumber returns any number from least to most, one of any order of magnitude, or
// one of the ends.
func randomNumber(r *rand.Rand, least, most int64) int64 {
	switch r.IntN(4) {
	case 0:
		return []int64{least, most}[r.IntN(2)]
	case 1:
		return int64(anySize(r, int(most)))
	}
	return least + r.Int64N(most-least+1)
}

// randomDepot returns a name of up to most letters.
func randomDepot(r *rand.Rand, most int) string {
	name := make([]byte, anySize(r, most+1)-1)
	for i := range name {
		name[i] = byte('a' + r.IntN(26))
	}
	return string(name)
}
