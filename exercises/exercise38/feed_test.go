package tally_test

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

// newDoor returns the name of a door, of 1 to most bytes without blanks and tabs. Some bytes
// are spaces elsewhere, or no text at all.
func newDoor(r *rand.Rand, most int) string {
	const letters = "aabbc/:-\n\r\v\f\u0085\u00a0\u2003é\x00\xff"
	door := make([]byte, 1+r.IntN(most))
	for i := range door {
		door[i] = letters[r.IntN(len(letters))]
	}
	return string(door)
}

// appendBlanks appends at least least blanks and tabs.
func appendBlanks(r *rand.Rand, line []byte, least int) []byte {
	for range least + r.IntN(3)*r.IntN(3) {
		line = append(line, " \t"[r.IntN(2)])
	}
	return line
}

// appendLine appends a line about a door, with up to three fields after it.
func appendLine(r *rand.Rand, line []byte, door string) []byte {
	line = append(appendBlanks(r, line, 0), newDoor(r, 8)...)
	line = append(appendBlanks(r, line, 1), door...)
	for range r.IntN(4) {
		line = append(appendBlanks(r, line, 1), newDoor(r, 8)...)
	}
	return appendBlanks(r, line, 0)
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
