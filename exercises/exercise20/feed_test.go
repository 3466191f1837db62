package tree_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise20"
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
