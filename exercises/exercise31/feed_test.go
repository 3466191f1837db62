package orders_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise31"
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

// A query has rows, and the lists of orders that are not paid in them.
type query struct {
	rows []orders.Row
	want [][]orders.Order
}

// add adds the rows of another customer, of which some are not paid, and some are. Their order
// is random.
func (q *query) add(r *rand.Rand, unpaid, paid int) {
	customer := r.IntN(1e9) - 1e6
	if n := len(q.rows); n > 0 {
		customer = q.rows[n-1].Customer + 1 + r.IntN(3)
	}
	var list []orders.Order
	for unpaid+paid > 0 {
		row := orders.Row{Customer: customer, Number: r.IntN(1e9) - 10, Cents: r.IntN(1e6) - 100}
		if row.Paid = r.IntN(unpaid+paid) < paid; row.Paid {
			paid--
		} else {
			unpaid--
			list = append(list, orders.Order{Number: row.Number, Cents: row.Cents})
		}
		q.rows = append(q.rows, row)
	}
	if list != nil {
		q.want = append(q.want, list)
	}
}

// newQuery returns a query with as many orders that are not paid, and about as many that are
// paid for each customer.
func newQuery(r *rand.Rand, unpaid, customers, paid int) query {
	var q query
	for ; customers > 0; customers-- {
		n := unpaid
		if customers > 1 {
			n = 1 + r.IntN(max(1, min(2*unpaid/customers, unpaid-customers+1)))
		}
		q.add(r, n, r.IntN(paid+1))
		unpaid -= n
		if r.IntN(3) == 0 {
			q.add(r, 0, r.IntN(paid+1))
		}
	}
	return q
}

// show returns the beginning of a value's text, for messages.
func show(v any) string {
	text := fmt.Sprint(v)
	if len(text) > 120 {
		return text[:120] + " …"
	}
	return text
}
