package ledger_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	ledger "onthestack/exercises/exercise13"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkDay by itself, with inputs of other classes.

// BenchmarkDayConfirm has clubs of few and of many members with names of any length, and days of up to 60
// payments. Some are refused, and many are kept, and paid or dropped later. No two days are the same.
func BenchmarkDayConfirm(b *testing.B) {
	const most = 60
	r := newRand(b)
	var clubs []club
	var names []string
	for _, members := range []int{2, 2 + anySize(r, 100), 300 + anySize(r, 700)} {
		for len(names) < members {
			names = append(names, strings.Repeat("ann ", anySize(r, 100))+strconv.Itoa(len(names)))
		}
		var c club
		for _, name := range names[:members] {
			c.ledger.Open(name, 100)
			c.book.openAccount(name, 100)
		}
		c.ledger.Join(names[0], names[1])
		c.book.join(names[0], names[1])
		clubs = append(clubs, c)
	}

	r = rand.New(rand.NewPCG(rand.Uint64(), 0)) // not newRand: no call of this function repeats another's payments
	day := func(c *club, n int, limit int64) {
		names := names[:len(c.book.account)]
		for range n {
			from, to := names[r.IntN(len(names))], names[r.IntN(len(names))]
			cents := 1 + r.Int64N(limit)
			switch r.IntN(20) {
			case 0:
				to = "nobody"
			case 1:
				cents = -cents
			}
			if got, want := c.ledger.Note(from, to, cents), c.book.note(from, to, cents); got != want {
				b.Fatalf("wrong result of Note\n  got:  %v\n  want: %v", got, want)
			}
		}
		s := c.ledger.Settle()
		if got, want := (summary{s.Paid, s.Kept, s.Dropped, s.Cents}), c.book.settle(); got != want {
			b.Fatalf("wrong summary\n  got:  %+v\n  want: %+v", got, want)
		}
	}
	for i := range clubs { // warm up: nothing is covered
		for range 3 {
			day(&clubs[i], 2*most, 1<<50)
		}
	}

	i := 0
	for b.Loop() {
		day(&clubs[i%len(clubs)], i/len(clubs)%most, 200)
		i++
	}
}

// BenchmarkDayConfirmBusy has a busy day in one of 500, with any number of payments, up to as many as the
// benchmark has operations. The ledger had one before, so it has room for another.
func BenchmarkDayConfirmBusy(b *testing.B) {
	r := newRand(b)
	most := min(b.N, 1<<14+1+r.IntN(1<<12))
	crowds := []int{most}
	for range 39 {
		crowds = append(crowds, anySize(r, most))
	}
	var l ledger.Ledger
	for _, name := range members {
		l.Open(name, 1<<40)
	}
	day := func(payments int) {
		for i := range payments {
			l.Note(members[i%len(members)], members[i/2%len(members)], int64(i))
		}
		if s := l.Settle(); s.Paid != payments || s.Kept != 0 || s.Dropped != 0 {
			b.Fatalf("wrong summary\n  got:  %+v\n  want: %d paid", s, payments)
		}
	}
	day(most)

	b.ResetTimer()
	for i := range b.N {
		payments := 8
		if i%500 == 0 {
			payments = crowds[i/500%len(crowds)]
		}
		day(min(payments, most))
	}
}
