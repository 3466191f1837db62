package kitchen_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"onthestack/exercises/exercise11"
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

// anySize returns a size from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

var dishes = []string{"soup", "trout", "dumplings", "gratin", "omelette", "plum cake"}

// randomOrder returns an order that is due in the next few minutes, so that many
// orders are due at once. A few have a table and a time of any order of magnitude.
func randomOrder(r *rand.Rand) kitchen.Order {
	o := kitchen.Order{Table: 1 + r.IntN(20), Dish: dishes[r.IntN(len(dishes))], Due: r.IntN(8)}
	if r.IntN(8) == 0 {
		o.Table, o.Due = int(r.Uint64())>>r.IntN(64), int(r.Uint64())>>r.IntN(64)
	}
	if r.IntN(3) > 0 {
		o.Notes = make([]string, 0, r.IntN(4)) // with room for more notes, or none but not nil
	}
	for range r.IntN(3) {
		o.Notes = append(o.Notes, "without "+dishes[r.IntN(len(dishes))])
	}
	return o
}

// A line holds orders in the order in which they are to come: a Pass by other means.
// It allocates nothing as long as its slice has room.
type line struct{ orders []kitchen.Order }

// add puts o after every order that is due no later.
func (l *line) add(o kitchen.Order) {
	l.orders = append(l.orders, o)
	i := len(l.orders) - 1
	for ; i > 0 && o.Due < l.orders[i-1].Due; i-- {
		l.orders[i] = l.orders[i-1]
	}
	l.orders[i] = o
}

// next removes the first order.
func (l *line) next() kitchen.Order {
	o := l.orders[0]
	l.orders = l.orders[:copy(l.orders, l.orders[1:])]
	return o
}

// same reports whether two orders are equal and have the same Notes, not only equal ones.
func same(a, b kitchen.Order) bool {
	if a.Table != b.Table || a.Dish != b.Dish || a.Due != b.Due ||
		len(a.Notes) != len(b.Notes) || cap(a.Notes) != cap(b.Notes) || (a.Notes == nil) != (b.Notes == nil) {
		return false
	}
	return unsafe.SliceData(a.Notes) == unsafe.SliceData(b.Notes)
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
