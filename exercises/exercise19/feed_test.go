package warehouse_test

import (
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

// A shelf does what a Stock must do, by other means: it is a list.
type shelf []item

type item struct {
	name    string
	size, n int
}

func (s *shelf) add(name string, size, n int) {
	for i := range *s {
		if p := &(*s)[i]; p.name == name && p.size == size {
			p.n += n
			return
		}
	}
	*s = append(*s, item{name, size, n})
}

func (s shelf) count(name string, size int) int {
	for _, p := range s {
		if p.name == name && p.size == size {
			return p.n
		}
	}
	return 0
}

func (s shelf) largest() (best item) {
	for i, p := range s {
		if i == 0 || p.n > best.n ||
			p.n == best.n && (p.name < best.name || p.name == best.name && p.size < best.size) {
			best = p
		}
	}
	return best
}

// newName returns a name of up to most bytes, of a few letters and what a key might
// have between its parts.
func newName(r *rand.Rand, most int) string {
	const letters = "aab/-:, \x00\xff01"
	name := make([]byte, r.IntN(most+1))
	for i := range name {
		name[i] = letters[r.IntN(len(letters))]
	}
	return string(name)
}
