package upload_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise33"
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

// newWord returns a word of up to most bytes, which may be empty.
func newWord(r *rand.Rand, most int) string {
	word := make([]byte, newSize(r, most)-r.IntN(2))
	for i := range word {
		word[i] = "aabc/=%\t\n\x00\xff"[r.IntN(11)]
	}
	return string(word)
}

// fixed returns a word of n bytes.
func fixed(r *rand.Rand, n int) string {
	word := newWord(r, n)
	return word + strings.Repeat("x", n-len(word))
}

// newRequest returns a request with a body of so many bytes, and the entry for it.
func newRequest(r *rand.Rand, size int) (*upload.Request, entry) {
	e := entry{newWord(r, 40), "/" + newWord(r, 60), "", size}
	request := &upload.Request{User: e.user, Path: e.path, Body: make([]byte, size)}
	switch r.IntN(6) {
	case 0: // no header
	case 1:
		request.Header = map[string][]string{"Accept": {"text/plain"}}
	case 2:
		request.Header = map[string][]string{"Content-Type": {}}
	default:
		e.kind = newWord(r, 30)
		request.Header = map[string][]string{
			"Accept": {"a/b", "c/d"}, "Content-Type": {e.kind, "x/y"}, "Cookie": {strings.Repeat("c", r.IntN(20))},
		}
	}
	return request, e
}

// show returns the beginning of a value's text, for messages.
func show(v any) string {
	text := fmt.Sprintf("%+v", v)
	if len(text) > 120 {
		return text[:120] + " …"
	}
	return text
}
