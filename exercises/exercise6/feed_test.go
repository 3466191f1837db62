package depot_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise6"
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

// randomEvent draws every field from the whole of its range.
func randomEvent(r *rand.Rand) depot.Event {
	return depot.Event{
		Damaged: r.IntN(2) == 0,
		Parcel:  r.Int64N(maxParcel + 1),
		Grams:   r.IntN(maxGrams + 1),
		Express: r.IntN(2) == 0,
		Signed:  r.IntN(2) == 0,
		Millis:  r.Int64N(maxMillis + 1),
		Depot:   randomDepot(r),
		Sector:  r.IntN(maxSector+2) - 1,
		Cents:   r.Int64N(maxCents + 1),
		Belt:    r.IntN(maxBelt+2) - 1,
	}
}

// randomDepot returns a name of up to 25 letters; a few have a number.
func randomDepot(r *rand.Rand) string {
	name := make([]byte, r.IntN(23))
	for i := range name {
		name[i] = byte('a' + r.IntN(26))
	}
	if r.IntN(4) == 0 {
		return string(name) + " " + strconv.Itoa(r.IntN(20))
	}
	return string(name)
}
