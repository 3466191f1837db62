package warehouse_test

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

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// collisions are names, all different, of which the two of a pair have the same hash: by a sum or an exclusive or of
// their bytes, by any polynomial of 64 bits, as Java's and Bernstein's are of 31 and 33, or by FNV-1a or FNV-1 of 64
// bits.
func collisions() [][2]string {
	// The sequence of Thue and Morse and its opposite differ by a product of powers of the factor, and the product
	// is divisible by 2^64, whatever the factor.
	thue := "ab"
	for len(thue) < 2048 {
		thue += strings.NewReplacer("a", "b", "b", "a").Replace(thue)
	}
	return [][2]string{
		{"screw", "wrecs"},
		{"AaAaAaAa", "BBBBBBBB"},
		{"bolt AbAb", "bolt BABA"},
		{thue[:1024], thue[1024:]},
		{"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"},
		{"qdekeygvmedyvf", "noicumdpxdlelg"},
	}
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
