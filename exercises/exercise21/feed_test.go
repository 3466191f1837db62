package sheet_test

import (
	"math"
	"math/rand/v2"
	"os"
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

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// special has the bytes that need quotes.
const special = ",\"\r\n"

// cellOf returns a cell as it must stand in a row.
func cellOf(text string) string {
	if text == "" || strings.ContainsAny(text, special) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// randomText returns up to n bytes. One time in three none of them is special.
func randomText(r *rand.Rand, n int) string {
	const plain = "abcXYZ 019-_./:;'=\\\x00\té\xff\xe4\xb8\x96"
	odd := r.IntN(3)
	text := make([]byte, r.IntN(n+1))
	for i := range text {
		if text[i] = plain[r.IntN(len(plain))]; odd > 0 && r.IntN(6) == 0 {
			text[i] = special[r.IntN(len(special))]
		}
	}
	return string(text)
}
