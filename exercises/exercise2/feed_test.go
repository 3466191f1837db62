package gate_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
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

// newName returns a name of up to most bytes, some of which need an escape in quotes.
func newName(r *rand.Rand, most int) string {
	const letters = "Adale é\"\\\n\x00\xff%d"
	name := make([]byte, r.IntN(most+1))
	for i := range name {
		name[i] = letters[r.IntN(len(letters))]
	}
	return string(name)
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// kept returns how many bytes of the heap are in use for what make returns, on the
// average of n calls. It collects garbage twice, to empty the sync.Pool of package fmt.
func kept[T any](n int, make func() T) int {
	var before, after runtime.MemStats
	var all []T
	all = slices.Grow(all, n)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		all = append(all, make())
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / n
}
