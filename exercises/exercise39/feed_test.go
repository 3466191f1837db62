package census_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"onthestack/exercises/exercise39"
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

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// newSizes returns a number between each power of two and the next, up to most.
func newSizes(r *rand.Rand, most int) []int {
	var sizes []int
	for n := 1; n < most; n *= 2 {
		sizes = append(sizes, n+r.IntN(n))
	}
	return sizes
}

// patience is how long tests wait for goroutines. It passes only if what they wait for never
// comes.
const patience = 5 * time.Second

// left returns how many more goroutines run than before. One that has nothing left to do
// needs a moment to end: it only has to be scheduled while benchmarks are measured, and
// waits for its thread if there are several.
func left(before int) int {
	for i := 0; runtime.NumGoroutine() > before; i++ {
		switch {
		case i < 1000:
			runtime.Gosched()
		case i < 1000+int(patience/time.Millisecond):
			time.Sleep(time.Millisecond)
		default:
			return runtime.NumGoroutine() - before
		}
	}
	return 0
}

// ask calls census.Ask, and fails the test if that does not return.
func ask(t *testing.T, households, clerks int, f func(household int)) {
	t.Helper()
	returned := make(chan bool)
	go func() {
		census.Ask(households, clerks, f)
		close(returned)
	}()
	select {
	case <-returned:
	case <-time.After(patience):
		t.Fatalf("Ask does not return\n  households: %d\n  clerks:     %d", households, clerks)
	}
}
