package ledger_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	ledger "onthestack/exercises/exercise13"
)

func TestOneEvening(t *testing.T) {
	var l ledger.Ledger
	ann, ben := l.Open("ann", 500), l.Open("ben", 0)
	if !l.Note("ann", "ben", 200) || !l.Note("ben", "ann", 50) {
		t.Fatal("Note refuses a payment between two accounts")
	}
	if ann.Balance() != 500 || ben.Balance() != 0 {
		t.Fatalf("wrong balances before the evening: nothing is paid until Settle\n  got:  %d and %d\n"+
			"  want: 500 and 0", ann.Balance(), ben.Balance())
	}
	s := l.Settle()
	if s.Paid != 2 || s.Kept != 0 || s.Dropped != 0 || s.Cents != 250 {
		t.Errorf("wrong summary\n  got:  %+v\n  want: 2 paid, 250 cents", s)
	}
	if ann.Balance() != 350 || ben.Balance() != 150 {
		t.Errorf("wrong balances after the evening\n  got:  %d and %d\n  want: 350 and 150", ann.Balance(),
			ben.Balance())
	}
}

func TestNote(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		cents          int64
	}{
		{"no payer", "zoe", "ben", 1},
		{"no payee", "ann", "zoe", 1},
		{"neither", "zoe", "zoe", 1},
		{"less than nothing", "ann", "ben", -1},
		{"nothing", "ann", "ben", 0},
		{"all there is", "ann", "ben", 500},
		{"more than there is", "ann", "ben", 501},
		{"to oneself", "ann", "ann", 500},
		{"more than there is, to oneself", "ann", "ann", 501},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c club
			c.open(t, "ann", 500)
			c.open(t, "ben", 20)
			c.note(t, test.from, test.to, test.cents)
			for range 4 {
				c.settle(t)
			}
		})
	}
}

func TestNothingToDo(t *testing.T) {
	var c club
	c.settle(t)
	c.note(t, "ann", "ben", 1)
	c.settle(t)
	c.open(t, "ann", 1)
	c.settle(t)
}

// An account that is open stays as it is.
func TestOpenAgain(t *testing.T) {
	var c club
	c.open(t, "ann", 500)
	c.open(t, "ann", 9)
	c.open(t, "ben", 0)
	c.note(t, "ann", "ben", 100)
	c.settle(t)
	c.open(t, "ann", 9)
}

// A payment without cover is tried on three evenings, in its place among the others.
func TestThreeEvenings(t *testing.T) {
	for evenings := range 5 {
		var c club
		c.open(t, "ann", 0)
		c.open(t, "ben", 300)
		c.open(t, "cleo", 0)
		c.note(t, "ann", "cleo", 100)
		c.note(t, "ann", "cleo", 50)
		for range evenings {
			c.settle(t)
		}
		// Now there is enough for one of the two. Which one comes first?
		c.note(t, "ben", "ann", 120)
		c.settle(t)
		c.note(t, "ben", "cleo", 1)
		for range 4 {
			c.settle(t)
		}
	}
}

// Within an evening, what came in can be paid out.
func TestInOrder(t *testing.T) {
	var c club
	c.open(t, "ann", 100)
	c.open(t, "ben", 0)
	c.open(t, "cleo", 0)
	c.note(t, "ben", "cleo", 100) // too early
	c.note(t, "ann", "ben", 100)
	c.note(t, "ben", "cleo", 60)
	c.settle(t)
	c.settle(t)
	c.note(t, "ann", "ben", 100)
	c.note(t, "cleo", "ben", 60)
	c.settle(t)
}

// A couple has one account, and so has whoever held it before.
func TestJoin(t *testing.T) {
	var c club
	c.open(t, "ann", 100)
	c.join(t, "ann", "ben") // ben had none
	c.open(t, "cleo", 5)
	c.note(t, "ben", "cleo", 70)
	c.note(t, "ann", "cleo", 70) // not covered: one account
	c.note(t, "cleo", "ben", 1)
	c.settle(t)
	c.settle(t)

	c.open(t, "dora", 40)
	c.note(t, "dora", "cleo", 30) // noted before: stays with the account that she had
	c.join(t, "ann", "dora")
	c.note(t, "dora", "cleo", 10)
	c.settle(t)

	c.join(t, "emil", "fay") // neither had one
	c.note(t, "cleo", "fay", 3)
	c.join(t, "emil", "emil")
	c.settle(t)
}

func TestJoinFirst(t *testing.T) {
	var c club
	c.join(t, "emil", "fay") // the first account of this ledger
	c.open(t, "fay", 7)
	c.open(t, "emil", 7)
	c.open(t, "gus", 7)
	c.note(t, "gus", "fay", 3)
	c.settle(t)
}

// A summary that somebody keeps is not the next evening's.
func TestSummaryIsKept(t *testing.T) {
	var c club
	c.open(t, "ann", 1000)
	c.open(t, "ben", 0)
	for cents := range int64(10) {
		c.note(t, "ann", "ben", 20*cents)
		c.settle(t)
	}
}

// Summaries stay as they are, however many a caller keeps.
func TestManySummaries(t *testing.T) {
	var c club
	c.open(t, "ann", 1<<40)
	c.open(t, "ben", 0)
	for evening := range int64(5000 + anySize(newRand(t), 20_000)) {
		c.ledger.Note("ann", "ben", evening)
		c.book.note("ann", "ben", evening)
		s := c.ledger.Settle()
		c.recorded = append(c.recorded, check{
			func() summary { return summary{s.Paid, s.Kept, s.Dropped, s.Cents} },
			c.book.settle(),
		})
	}
	c.compare(t, "many evenings")
}

// There is no limit to the payments of an evening, nor to those that are kept: more
// than any array that a solution might set aside, and than any variable on the stack can
// hold.
func TestManyPayments(t *testing.T) {
	r := newRand(t)
	for i := range 12 {
		n := anySize(r, 1<<15)
		if i == 0 {
			n += 1 << 14
		}
		names := slices.Clone(members)
		for i := range anySize(r, 500) {
			names = append(names, "member "+strconv.Itoa(i))
		}
		var c club
		for _, name := range names {
			c.ledger.Open(name, 5000)
			c.book.openAccount(name, 5000)
		}
		for range n {
			from, to, cents := names[r.IntN(len(names))], names[r.IntN(len(names))], r.Int64N(20_000)
			c.ledger.Note(from, to, cents)
			c.book.note(from, to, cents)
		}
		for range 4 {
			c.settle(t)
		}
	}
}

// Of one evening's payments more than 64 Ki are paid and as many are kept, and dropped
// in the end.
func TestManyOfEachKind(t *testing.T) {
	var l ledger.Ledger
	l.Open("rich", 1<<40)
	l.Open("poor", 0)
	n := 1<<16 + 1 + newRand(t).IntN(1<<12)
	for range n {
		l.Note("rich", "rich", 3)
		l.Note("poor", "rich", 1)
	}
	for evening, want := range []summary{{n, n, 0, int64(3 * n)}, {0, n, 0, 0}, {0, 0, n, 0}, {}} {
		s := l.Settle()
		if got := (summary{s.Paid, s.Kept, s.Dropped, s.Cents}); got != want {
			t.Errorf("wrong summary of evening %d, after %d payments\n  got:  %+v\n  want: %+v", evening+1, 2*n, got,
				want)
		}
	}
}

// Nor is there one to the accounts.
func TestManyAccounts(t *testing.T) {
	r := newRand(t)
	for n := 16; n <= 1<<10; n *= 2 {
		var c club
		var names []string
		for i := range n + 1 + r.IntN(n/8) {
			names = append(names, "member "+strconv.Itoa(i))
			a := c.ledger.Open(names[i], int64(i))
			c.held = append(c.held, held{names[i], c.book.openAccount(names[i], int64(i)), a.Balance})
		}
		for range 50 {
			a, b, cents := names[r.IntN(len(names))], names[r.IntN(len(names))], r.Int64N(int64(n))
			c.ledger.Join(a, b)
			c.book.join(a, b)
			a = names[r.IntN(len(names))]
			c.ledger.Note(a, b, cents)
			c.book.note(a, b, cents)
		}
		c.settle(t)
	}
}

// Accounts beyond 64 Ki are others than the first ones. There are so many that some names without an account have the
// same hash of 32 bits as names with one.
func TestAccountsBeyond64Ki(t *testing.T) {
	const cents, beyond, many, asked, size = 1000, 1 << 16, 1 << 17, 1 << 17, 16
	r := newRand(t)
	all := make([]byte, (many+asked)*size)
	for i := 0; i < len(all); i += size {
		bits := r.Uint64()
		for j := range size {
			all[i+j] = "0123456789abcdef"[bits%16]
			bits /= 16
		}
	}
	names := string(all)
	name := func(i int) string { return names[i*size:][:size] }
	var l ledger.Ledger
	for i := range many {
		if got := l.Open(name(i), int64(i)).Balance(); got != int64(i) {
			t.Fatalf("wrong balance of a new account\n  account: number %d, %q\n  got:     %d\n  want:    %d", i,
				name(i), got, i)
		}
	}
	for i := range asked {
		if l.Note(name(0), name(many+i), 0) {
			t.Fatalf("Note(%q, %q, 0) is true, among %d accounts, although the second has none", name(0), name(many+i),
				many)
		}
	}
	n := beyond + 100 + r.IntN(100)
	for i := beyond; i < n; i++ {
		l.Note(name(i), name(i-beyond), cents)
	}
	l.Settle()
	for i := beyond; i < n; i++ {
		last, early := l.Open(name(i), 0).Balance(), l.Open(name(i-beyond), 0).Balance()
		if want := int64(i - beyond); last != int64(i)-cents || early != want+cents {
			t.Fatalf("wrong balances after a payment\n  accounts: number %d and %d\n  got:      %d and %d\n"+
				"  want:     %d and %d",
				i, i-beyond, last, early, int64(i)-cents, want+cents)
		}
	}
}

// A name is any text, of any length, and names may differ only in their last byte.
func TestNames(t *testing.T) {
	r := newRand(t)
	names := append(sameHash(), "", " ", "ann", "Ann", "ann ", "ann\x00", "\x00", "\xff", "Änne")
	for n := 8; n <= 128<<10; n *= 2 {
		long := strings.Repeat("ann ", n/4)
		names = append(names, long, long+"!", long+"?")
	}
	long := strings.Repeat("ann ", 1<<18+r.IntN(1<<10))
	names = append(names, long+"!", long+"?")
	var l ledger.Ledger
	balance := func(name string, want int64) {
		t.Helper()
		if got := l.Open(name, -1).Balance(); got != want {
			t.Errorf("wrong balance\n  name: %.20q, %d bytes\n  got:  %d\n  want: %d", name, len(name), got, want)
		}
	}
	for i, name := range names {
		l.Open(name, int64(1000+i))
	}
	for i, name := range names {
		balance(name, int64(1000+i))
	}

	// Each pays the next.
	for i := range names[1:] {
		if from, to := names[i], names[i+1]; !l.Note(from, to, int64(i)) {
			t.Fatalf("Note refuses a payment between two accounts\n  from: %.20q, %d bytes\n  to:   %.20q, %d bytes",
				from, len(from), to, len(to))
		}
	}
	l.Settle()
	last := len(names) - 1
	balance(names[0], 1000)
	for i, name := range names[1:last] {
		balance(name, int64(1000+i+1)+int64(i)-int64(i+1))
	}
	balance(names[last], int64(1000+last)+int64(last-1))

	// Another name for each account, as long.
	for i, name := range names {
		l.Join(name, "other "+name)
		l.Open("another", 1<<20)
		l.Note("another", "other "+name, int64(i))
	}
	l.Settle()
	for i, name := range names {
		if got, want := l.Open("other "+name, -1).Balance(), l.Open(name, -1).Balance(); got != want {
			t.Errorf("wrong balance of an account by another name\n  name: %.20q, %d bytes, the %dth\n  got:  %d\n"+
				"  want: %d", name, len(name), i+1, got, want)
		}
	}
}

// Amounts on both sides of every power of two, which is where the smaller types end.
func TestAmounts(t *testing.T) {
	for power := int64(1); power < math.MaxInt64/4; power *= 2 {
		for cents := power - 1; cents <= power+1; cents++ {
			var c club
			c.open(t, "ann", cents)
			c.open(t, "ben", cents-1)
			c.open(t, "cleo", -cents)
			c.note(t, "ben", "ann", cents) // not covered, by one cent
			c.note(t, "cleo", "ann", 0)
			c.note(t, "ann", "cleo", cents)
			c.settle(t)
			c.note(t, "ben", "cleo", cents-1)
			c.settle(t)
		}
	}
}

// The heap of a ledger depends on its accounts and on the largest number of payments
// that were ever open at once, and neither on the evenings that were nor on those that
// might still come. Payments are noted with names that are a part of a longer text: a
// payment that is settled does not keep it.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ payments, evenings int }{
		{1, 1}, {1, 60}, {8, 4}, {200, 1}, {200, 60},
		{1 + r.IntN(4), 3000 + anySize(r, 3000)},
		{anySize(r, 2000), anySize(r, 100)},
	} {
		got := kept(1+20/test.payments, func() *ledger.Ledger {
			l := new(ledger.Ledger)
			for _, name := range members {
				l.Open(name, 1000)
			}
			for evening := range test.evenings {
				to := members[evening%len(members)]
				if evening >= test.evenings-3 {
					to = (to + strings.Repeat(" ", 64<<10))[:len(to)]
				}
				for i := range test.payments {
					l.Note(members[i%len(members)], to, 1+int64(i/7)*300)
				}
				l.Settle()
			}
			for range 2 {
				l.Settle() // after which no payment is open
			}
			return l
		})
		if want := 8<<10 + 3*256*test.payments; got > want {
			t.Errorf("a ledger keeps much more memory than its accounts and payments take\n  payments: %d a day\n"+
				"  evenings: %d\n  got:      %d bytes\n  want:     at most %d bytes",
				test.payments, test.evenings, got, want)
		}
	}
}

func TestTwoLedgers(t *testing.T) {
	r := newRand(t)
	var clubs [2]club
	for range 100 {
		c := &clubs[r.IntN(2)]
		a, b := members[r.IntN(3)], members[r.IntN(3)]
		c.open(t, a, 100)
		c.open(t, b, 100)
		c.note(t, a, b, r.Int64N(80))
		if r.IntN(3) == 0 {
			c.settle(t)
		}
	}
	clubs[0].settle(t)
	clubs[1].settle(t)
}

func TestRandomYears(t *testing.T) {
	r := newRand(t)
	for range 30 {
		var c club
		for range 120 {
			a, b := members[r.IntN(len(members))], members[r.IntN(len(members))]
			switch n := r.IntN(20); {
			case n < 3:
				c.open(t, a, r.Int64N(300))
			case n < 4:
				c.join(t, a, b)
			case n < 15:
				c.note(t, a, b, r.Int64N(200)-3)
			default:
				c.settle(t)
			}
		}
	}
}
