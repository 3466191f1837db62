package tree_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise37"
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

// An entry is a key with its value.
type entry struct{ key, value int }

// newTree returns a tree of n keys, and its entries in order. The keys are next to each
// other or far apart, and come in any order.
func newTree(r *rand.Rand, n int) (*tree.Tree, []entry) {
	entries := make([]entry, n)
	key := -r.IntN(n + 1)
	for i := range entries {
		entries[i] = entry{key, int(r.Uint64())}
		key += 1 + r.IntN(3)
	}
	t := new(tree.Tree)
	for _, i := range r.Perm(n) {
		t.Set(entries[i].key, entries[i].value)
	}
	return t, entries
}

// A side is where the nodes of a path have their child.
type side int

const (
	left side = iota
	right
	either
)

// newPath returns a tree of n keys that is as deep as it has entries, and its entries in
// order.
func newPath(r *rand.Rand, n int, side side) (*tree.Tree, []entry) {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{i, int(r.Uint64())}
	}
	t := new(tree.Tree)
	for low, high := 0, n; low < high; {
		if side == left || side == either && r.IntN(2) == 0 {
			high--
			t.Set(entries[high].key, entries[high].value)
		} else {
			t.Set(entries[low].key, entries[low].value)
			low++
		}
	}
	return t, entries
}

// newBalanced returns a balanced tree of n keys. n is one less than a power of two.
func newBalanced(n int) *tree.Tree {
	t := new(tree.Tree)
	for step := (n + 1) / 2; step > 0; step /= 2 {
		for key := step; key <= n; key += 2 * step {
			t.Set(key, key)
		}
	}
	return t
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
