package ledger_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	ledger "onthestack/exercises/exercise13"
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

// sameHash returns pairs of names that are different and have the same hash: 64-bit FNV-1a, and each hash that takes a
// byte at a time, multiplies by a constant and adds the byte, whatever the constant is, in 64 bits or fewer.
func sameHash() []string {
	names := []string{"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"}
	var thueMorse [2]strings.Builder // the number of ones in a place decides between two letters
	for place := range 1 << 11 {
		ones := bits.OnesCount(uint(place)) % 2
		thueMorse[0].WriteByte("ab"[ones])
		thueMorse[1].WriteByte("ba"[ones])
	}
	return append(names, thueMorse[0].String(), thueMorse[1].String())
}

var members = []string{"ann", "ben", "cleo", "dora", "emil", "fay", "gus"}

// summary has the numbers of a ledger.Summary.
type summary struct {
	paid, kept, dropped int
	cents               int64
}

// A book does what a Ledger must do, by other means: accounts are numbers.
type book struct {
	account map[string]int
	cents   []int64
	open    []debt
}

type debt struct {
	from, to int
	cents    int64
	evenings int
}

func (b *book) openAccount(name string, cents int64) int {
	if b.account == nil {
		b.account = map[string]int{}
	}
	if _, ok := b.account[name]; !ok {
		b.account[name] = len(b.cents)
		b.cents = append(b.cents, cents)
	}
	return b.account[name]
}

func (b *book) join(name, other string) { b.account[other] = b.openAccount(name, 0) }

func (b *book) note(from, to string, cents int64) bool {
	payer, ok1 := b.account[from]
	payee, ok2 := b.account[to]
	if !ok1 || !ok2 || cents < 0 {
		return false
	}
	b.open = append(b.open, debt{payer, payee, cents, 0})
	return true
}

func (b *book) settle() summary {
	var s summary
	left := b.open[:0]
	for _, d := range b.open {
		d.evenings++
		switch {
		case b.cents[d.from] >= d.cents:
			b.cents[d.from] -= d.cents
			b.cents[d.to] += d.cents
			s.paid++
			s.cents += d.cents
		case d.evenings < 3:
			left = append(left, d)
			s.kept++
		default:
			s.dropped++
		}
	}
	b.open = left
	return s
}

// A club is a ledger beside the book that it is compared with. Tests go through it.
type club struct {
	ledger   ledger.Ledger
	book     book
	held     []held  // accounts, as Open returned them
	recorded []check // summaries, as Settle returned them
}

type held struct {
	name    string
	account int
	balance func() int64
}

type check struct {
	got  func() summary
	want summary
}

func (c *club) open(t *testing.T, name string, cents int64) {
	t.Helper()
	a := c.ledger.Open(name, cents)
	c.held = append(c.held, held{name, c.book.openAccount(name, cents), a.Balance})
	c.compare(t, "Open("+name+")")
}

func (c *club) join(t *testing.T, name, other string) {
	t.Helper()
	c.ledger.Join(name, other)
	c.book.join(name, other)
	c.compare(t, "Join("+name+", "+other+")")
}

func (c *club) note(t *testing.T, from, to string, cents int64) {
	t.Helper()
	got, want := c.ledger.Note(from, to, cents), c.book.note(from, to, cents)
	if got != want {
		t.Fatalf("wrong result of Note\n  from:  %q\n  to:    %q\n  cents: %d\n  got:   %v\n  want:  %v", from, to,
			cents, got, want)
	}
	c.compare(t, "Note")
}

func (c *club) settle(t *testing.T) {
	t.Helper()
	s := c.ledger.Settle()
	c.recorded = append(c.recorded, check{
		func() summary { return summary{s.Paid, s.Kept, s.Dropped, s.Cents} },
		c.book.settle(),
	})
	c.compare(t, "Settle")
}

// compare looks at every account that Open ever returned, and at every summary.
func (c *club) compare(t *testing.T, after string) {
	t.Helper()
	for _, h := range c.held {
		if got, want := h.balance(), c.book.cents[h.account]; got != want {
			t.Fatalf("after %s: wrong balance of an account that its opener held\n  name: %q\n  got:  %d\n  want: %d",
				after, h.name, got, want)
		}
	}
	for name, account := range c.book.account {
		a := c.ledger.Open(name, -1)
		if got, want := a.Balance(), c.book.cents[account]; got != want {
			t.Fatalf("after %s: wrong balance of what Open returns\n  name: %q\n  got:  %d\n  want: %d", after, name,
				got, want)
		}
	}
	for i, s := range c.recorded {
		if got := s.got(); got != s.want {
			evening := "summary of this evening"
			if i < len(c.recorded)-1 {
				evening = "summary of an earlier evening, kept by its caller"
			}
			t.Fatalf("after %s: wrong %s\n  got:  %+v\n  want: %+v", after, evening, got, s.want)
		}
	}
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
