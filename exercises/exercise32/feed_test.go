package cachekey_test

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

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// newLine returns a line of the access log with a path and tags of up to most bytes.
func newLine(r *rand.Rand, tags, most int) string {
	line := []byte([]string{"GET", "POST", "DELETE", "PURGE", ""}[r.IntN(5)])
	for range 1 + tags {
		line = append(line, ' ')
		for range newSize(r, most) - r.IntN(2) {
			line = append(line, "aabc/=%\t\n\x00\xff"[r.IntN(11)])
		}
	}
	return string(line)
}

// newLines returns lines with no tag, with some and with many, and with long and short paths.
func newLines(r *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = newLine(r, r.IntN(4)*r.IntN(4), 60)
	}
	return lines
}
