package ledger_test

import (
	"math/rand/v2"
	"testing"

	ledger "onthestack/exercises/exercise8"
)

// usual is how many days have no more than eight payments: the checker's figures are
// over these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkDay notes eight payments and settles them. One of them is never
// covered: it is kept for two evenings and dropped on the third. After the usual days
// one is now and then busier, with up to 20 000 payments more, as one had before. No two days
// have the same amounts, and the summary and all balances are compared with what must
// come.
func BenchmarkDay(b *testing.B) {
	const start = 1 << 40
	r := newRand(b)
	var l ledger.Ledger
	accounts := make([]func() int64, len(members))
	balances := make([]int64, len(members))
	for i, name := range members {
		accounts[i] = l.Open(name, start).Balance
		balances[i] = start
	}
	l.Open("hal", 0)
	pairs := make([][2]int, 20)
	for i := range pairs {
		from := r.IntN(len(members))
		pairs[i] = [2]int{from, (from + 1 + r.IntN(len(members)-1)) % len(members)}
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	day := func(n, kept, dropped, busy int) {
		var total int64
		for j := range 8 {
			from, to := pairs[(n+j)%len(pairs)][0], pairs[(n+j)%len(pairs)][1]
			cents := int64(1 + (clock+n+7919*j)%9973)
			if j == n%8 {
				l.Note("hal", members[to], cents)
				continue
			}
			l.Note(members[from], members[to], cents)
			balances[from] -= cents
			balances[to] += cents
			total += cents
		}
		for j := range busy {
			from, to := pairs[(n+j)%len(pairs)][0], pairs[(n+j)%len(pairs)][1]
			l.Note(members[from], members[to], int64(j))
			balances[from] -= int64(j)
			balances[to] += int64(j)
			total += int64(j)
		}
		got := l.Settle()
		if got.Paid != 7+busy || got.Kept != kept || got.Dropped != dropped || got.Cents != total {
			b.Fatalf("wrong summary\n  got:  %+v\n  want: %d paid, %d kept, %d dropped, %d cents", got, 7+busy, kept,
				dropped, total)
		}
		for i, balance := range accounts {
			if balance() != balances[i] {
				b.Fatalf("wrong balance\n  name: %q\n  got:  %d\n  want: %d", members[i], balance(), balances[i])
			}
		}
	}

	// Warm up: the ledger grows, and the first payment that is not covered is dropped.
	crowd := 0
	if b.N > usual {
		crowd = 20_000
	}
	day(0, 1, 0, crowd)
	day(1, 2, 0, 0)
	day(2, 2, 1, 0)
	b.ResetTimer()
	for i := range b.N {
		busy := 0
		if i > usual && i%1000 == 0 {
			busy = crowd >> (i / 1000 % 15)
		}
		day(3+i, 2, 1, busy)
	}
}
