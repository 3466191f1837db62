package ledger_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	ledger "onthestack/exercises/exercise8"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkDay by itself, with inputs of other classes.

// BenchmarkDayConfirm has clubs of any number of members, up to 1000, with names of any length, and days of
// up to 60 payments. Some are refused, and many are kept, and paid or dropped later.
func BenchmarkDayConfirm(b *testing.B) {
	const most = 60
	r := newRand(b)
	var c club
	var names []string
	for range 2 + anySize(r, 1000) {
		name := strings.Repeat("ann ", anySize(r, 100)) + string(randomLetters(r, 12))
		names = append(names, name)
		c.ledger.Open(name, 100)
		c.book.openAccount(name, 100)
	}
	c.ledger.Join(names[0], names[1])
	c.book.join(names[0], names[1])

	payments := rand.New(rand.NewPCG(rand.Uint64(), 0)) // not newRand: no call of this function repeats another's
	clock := payments.IntN(1e8)
	day := func(n int, most int64) {
		for range n {
			from, to := names[payments.IntN(len(names))], names[payments.IntN(len(names))]
			cents := 1 + payments.Int64N(most)
			switch payments.IntN(20) {
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
	for range 3 { // warm up: nothing is covered
		day(2*most, 1<<50)
	}

	i := 0
	for b.Loop() {
		day((clock+i)%most, 200)
		i++
	}
}

// BenchmarkDayConfirmBusy has a busy day in one of 500, with any number of payments, up to as many as the
// benchmark has operations. The ledger had one before, so it has room for another.
func BenchmarkDayConfirmBusy(b *testing.B) {
	r := newRand(b)
	most := min(b.N, 1<<14+anySize(r, 1<<12))
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
