package guest_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
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

// Bytes and characters that names are made of. Some of the latter are not the same in lower
// case and in any case, or have another length in lower case, or are no text at all.
var (
	ascii = strings.Split("abkmsyzABKMSYZ@@``[[{{.-_0159  \x00\x7f", "")
	mixed = append(strings.Split("kKsSiIaA@`éÉåÅßẞſıİσςΣдДǅ\u00a0\u212a\u212bȺⱥ\ufffd", ""), "\xff", "\x80", "\xc3", "\xe2\x84")
)

// newName returns a name of at most n bytes, and of n if all letters are ASCII.
func newName(r *rand.Rand, letters []string, n int) string {
	var name strings.Builder
	for {
		letter := letters[r.IntN(len(letters))]
		if name.Len()+len(letter) > n {
			return name.String()
		}
		name.WriteString(letter)
	}
}

// otherCase returns a name with some of its ASCII letters in the other case.
func otherCase(r *rand.Rand, name string) string {
	other := []byte(name)
	for i, c := range other {
		if lower := c | 0x20; 'a' <= lower && lower <= 'z' {
			other[i] = c ^ byte(r.IntN(2))<<5
		}
	}
	return string(other)
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
