package orders_test

import (
	"testing"

	"onthestack/exercises/exercise31"
)

// most is the target for B/op.
const most = 2272

// BenchmarkUnpaidConfirmAny makes lists of all lengths, which need nearly as many bytes as the
// target allows on average, so that none has any to spare.
func BenchmarkUnpaidConfirmAny(b *testing.B) {
	r := newRand(b)
	var queries []query
	spare := 0
	add := func(unpaid, customers int) {
		queries = append(queries, newQuery(r, unpaid, customers, newSize(r, 30)))
		spare += most - bytesOf(unpaid, customers)
	}
	// Long lists use up what short ones spare. What the first operation may take is always
	// left, since the checker subtracts that.
	addLong := func() {
		unpaid := spare / 16
		customers := 1 + r.IntN(1+unpaid/20)
		for bytesOf(unpaid, customers) > spare {
			unpaid--
		}
		add(unpaid, customers)
	}
	long := 20 * most // such a query has more than 1000 orders
	for range 300 {
		if spare > long {
			addLong()
			long = (4 + r.IntN(20)) * most
		} else {
			unpaid := 1 + newSize(r, 100)
			add(unpaid, 1+r.IntN(min(unpaid, 20)))
		}
	}
	for spare > 2*most {
		addLong()
	}
	confirm(b, queries)
}

// BenchmarkUnpaidConfirmPaid looks at long queries in which nearly all orders are paid.
func BenchmarkUnpaidConfirmPaid(b *testing.B) {
	r := newRand(b)
	queries := make([]query, 50)
	for i := range queries {
		queries[i] = newQuery(r, 98+r.IntN(15), 19+r.IntN(2), 20+newSize(r, 200))
	}
	confirm(b, queries)
}

// confirm makes the lists of queries, one after the other.
func confirm(b *testing.B, queries []query) {
	for i := 0; b.Loop(); i++ {
		q := &queries[i%len(queries)]
		if got := orders.Unpaid(q.rows); !equal(got, q.want) {
			b.Fatalf("wrong lists\n  got:  %s\n  want: %s", show(got), show(q.want))
		}
	}
}

// bytesOf returns how much memory the lists of so many orders and customers take.
func bytesOf(unpaid, customers int) int {
	return cap(append([]orders.Order(nil), make([]orders.Order, unpaid)...))*16 +
		cap(append([][]orders.Order(nil), make([][]orders.Order, customers)...))*24
}
