package mail_test

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

// A list is a mailing list and what must come of it.
type list struct{ addresses, want []string }

// newList returns a list of n addresses of up to most bytes, with up to different ones
// that are different. The addresses come in any order.
func newList(r *rand.Rand, n, different, most int) list {
	names := make([]string, max(different, 1))
	for i := range names {
		names[i] = newAddress(r, i, most)
	}
	var l list
	for range n {
		address := names[r.IntN(len(names))]
		l.addresses = append(l.addresses, address)
		if !slices.Contains(l.want, address) {
			l.want = append(l.want, address)
		}
	}
	return l
}

// newAddress returns an address of up to most bytes. Two of different numbers may be the
// same.
func newAddress(r *rand.Rand, number, most int) string {
	const letters = "abcdeabcde@.-é\x00\xff"
	address := strconv.AppendInt(nil, int64(number), 36)
	for range r.IntN(most + 1) {
		address = append(address, letters[r.IntN(len(letters))])
	}
	return string(address)
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// kept returns how many bytes of the heap are in use for what make returns, on the
// average of n calls.
func kept[T any](n int, make func() T) int {
	var before, after runtime.MemStats
	var all []T
	all = slices.Grow(all, n)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		all = append(all, make())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / n
}
