package index_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
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

// anySize returns a number from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// The most elements of a list of more than 1 MiB.
const (
	manyTerms = 1<<16 + 1<<12
	manyPages = 1<<17 + 1<<12
)

// randomTerm returns a text of any bytes, often one that another term begins with.
func randomTerm(r *rand.Rand) string {
	term := make([]byte, r.IntN(5))
	for i := range term {
		term[i] = "ab\x00\xff"[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		term = strconv.AppendUint(term, r.Uint64(), 36)
	}
	return string(term)
}

// randomPage returns any number, often a small one.
func randomPage(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return int(r.Uint64()) >> r.IntN(64)
	}
	return r.IntN(20) - 5
}

// randomList returns n elements.
func randomList[T any](r *rand.Rand, n int, element func(*rand.Rand) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = element(r)
	}
	return list
}

// A sorting is a list and what must come of it.
type sorting[T cmp.Ordered] struct {
	list, want []T
	moved      bool // what must be reported
}

func newSorting[T cmp.Ordered](list []T) sorting[T] {
	want := slices.Sorted(slices.Values(list))
	return sorting[T]{list, want, !slices.Equal(list, want)}
}
