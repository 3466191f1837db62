package parcel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise35"
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

// newParcel returns a parcel of any kind to a city of n bytes.
func newParcel(r *rand.Rand, n int) parcel.Parcel {
	const letters = "Lisbon,é\"\n\x00\xff%d"
	p := parcel.Parcel{Grams: int(r.Uint64()) >> r.IntN(64), Meters: r.NormFloat64() * math.Pow(10, r.Float64()*12-4)}
	city := make([]byte, n)
	for i := range city {
		city[i] = letters[r.IntN(len(letters))]
	}
	p.City = string(city)
	for i := range p.Code {
		p.Code[i] = byte(r.Uint32() >> r.IntN(8))
	}
	return p
}

// row returns what Write has to write.
func row(p parcel.Parcel) string {
	return fmt.Sprintf("%x,%s,%d,%.2f\n", p.Code, p.City, p.Grams, p.Meters)
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
