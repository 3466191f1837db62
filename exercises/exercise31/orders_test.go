package orders_test

import (
	"slices"
	"testing"

	"onthestack/exercises/exercise31"
)

func equal(a, b [][]orders.Order) bool { return slices.EqualFunc(a, b, slices.Equal[[]orders.Order]) }

// check calls Unpaid, and then does all that a caller may do with rows and lists.
func check(t *testing.T, q query) {
	t.Helper()
	rows := slices.Clone(q.rows)
	got := orders.Unpaid(rows)
	if !slices.Equal(rows, q.rows) {
		t.Fatalf("Unpaid changes the rows\n  got:  %s\n  want: %s", show(rows), show(q.rows))
	}
	for i := range rows {
		rows[i] = orders.Row{Customer: -1, Number: -1, Cents: -1}
	}
	if !equal(got, q.want) {
		t.Fatalf("wrong lists\n  rows: %s\n  got:  %d lists, %s\n  want: %d lists, %s", show(q.rows), len(got), show(got),
			len(q.want), show(q.want))
	}
	for i := range got {
		before := slices.Clone(got[i])
		more := append(got[i], orders.Order{Number: -2, Cents: -2})
		more[0].Cents++
		if !equal(got[i+1:], q.want[i+1:]) {
			t.Fatalf("an append to a list changes the next one\n  list: number %d of %d\n  got:  %s\n  want: %s",
				i+1, len(got), show(got[i+1:]), show(q.want[i+1:]))
		}
		for j := range got[i] {
			got[i][j] = orders.Order{Number: -4, Cents: -4}
		}
		got[i] = before
		if !equal(got, q.want) {
			t.Fatalf("a change of a list changes another one\n  list: number %d of %d\n  got:  %s\n  want: %s",
				i+1, len(got), show(got), show(q.want))
		}
	}
	more := append(got, []orders.Order{{Number: -5, Cents: -5}})
	if !equal(more[:len(got)], q.want) {
		t.Fatalf("another list changes the lists\n  got:  %s\n  want: %s", show(more[:len(got)]), show(q.want))
	}
}

func TestUnpaid(t *testing.T) {
	paid := func(customer, number int) orders.Row {
		return orders.Row{Customer: customer, Number: number, Cents: 10 * number, Paid: true}
	}
	due := func(customer, number int) orders.Row {
		return orders.Row{Customer: customer, Number: number, Cents: 10 * number}
	}
	order := func(number int) orders.Order { return orders.Order{Number: number, Cents: 10 * number} }
	for _, q := range []query{
		{},
		{rows: []orders.Row{paid(1, 1)}},
		{rows: []orders.Row{paid(1, 1), paid(1, 2), paid(2, 3)}},
		{[]orders.Row{due(1, 1)}, [][]orders.Order{{order(1)}}},
		{[]orders.Row{due(0, 0), due(0, 0)}, [][]orders.Order{{order(0), order(0)}}},
		{[]orders.Row{due(1, 1), due(2, 2)}, [][]orders.Order{{order(1)}, {order(2)}}},
		{[]orders.Row{due(1, 1), paid(1, 2), due(1, 3)}, [][]orders.Order{{order(1), order(3)}}},
		{[]orders.Row{due(1, 1), paid(2, 2), due(3, 3)}, [][]orders.Order{{order(1)}, {order(3)}}},
		{[]orders.Row{paid(1, 1), due(2, 2), paid(3, 3)}, [][]orders.Order{{order(2)}}},
		{[]orders.Row{due(3, 3), due(1, 1), due(2, 2)}, [][]orders.Order{{order(3)}, {order(1)}, {order(2)}}},
		{[]orders.Row{due(-1, 1), paid(-1, 1), paid(0, 1), due(0, 1)}, [][]orders.Order{{order(1)}, {order(1)}}},
	} {
		check(t, q)
	}
}

func TestRandomQueries(t *testing.T) {
	r := newRand(t)
	for range 500 {
		var q query
		for range r.IntN(20) {
			q.add(r, r.IntN(4)*r.IntN(4), r.IntN(4)*r.IntN(4))
		}
		check(t, q)
	}
	for range 50 {
		unpaid := 1 + newSize(r, 2000)
		check(t, newQuery(r, unpaid, 1+r.IntN(min(unpaid, 100)), newSize(r, 50)))
	}
}

// One customer, and as many customers as orders, up to more than 1 MiB of orders.
func TestLongQueries(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 64<<10; n *= 4 {
		n := n + r.IntN(n)
		var one, paid query
		one.add(r, n, n/2)
		check(t, one)
		paid.add(r, 0, n)
		paid.add(r, 2, n)
		check(t, paid)
	}
	for n := 1; n <= 1<<10; n *= 4 {
		var many query
		for range n + r.IntN(n) {
			many.add(r, 1+r.IntN(2), r.IntN(2))
		}
		check(t, many)
	}
}

// The lists of a query stay as they are when others are made.
func TestManyQueries(t *testing.T) {
	r := newRand(t)
	var queries []query
	var got [][][]orders.Order
	for range 200 {
		unpaid := 1 + newSize(r, 100)
		q := newQuery(r, unpaid, 1+r.IntN(unpaid), 3)
		queries, got = append(queries, q), append(got, orders.Unpaid(q.rows))
	}
	for i, q := range queries {
		if !equal(got[i], q.want) {
			t.Fatalf("a later query changes the lists of an earlier one\n  got:  %s\n  want: %s", show(got[i]),
				show(q.want))
		}
	}
}
