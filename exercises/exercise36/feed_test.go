package harbor_test

import (
	"math"
	"math/rand/v2"
	"os"
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

// newWord returns a word of 1 to most bytes, some of which are spaces elsewhere, or no text
// at all.
func newWord(r *rand.Rand, most int) string {
	const letters = "aabcqy.,\n\t\r\v\u00a0\u2003é\x00\xff"
	word := make([]byte, 1+r.IntN(most))
	for i := range word {
		word[i] = letters[r.IntN(len(letters))]
	}
	return string(word)
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}
