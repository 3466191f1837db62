package ledger_test

import (
	"testing"

	ledger "onthestack/exercises/exercise8"
)

func TestOneEvening(t *testing.T) {
	var l ledger.Ledger
	ann, ben := l.Open("ann", 500), l.Open("ben", 0)
	if !l.Note("ann", "ben", 200) || !l.Note("ben", "ann", 50) {
		t.Fatal("Note refuses a payment between two accounts")
	}
	if ann.Balance() != 500 || ben.Balance() != 0 {
		t.Fatalf("wrong balances before the evening: nothing is paid until Settle\n  got:  %d and %d\n  want: 500 and 0", ann.Balance(), ben.Balance())
	}
	s := l.Settle()
	if s.Paid != 2 || s.Kept != 0 || s.Dropped != 0 || s.Cents != 250 {
		t.Errorf("wrong summary\n  got:  %+v\n  want: 2 paid, 250 cents", s)
	}
	if ann.Balance() != 350 || ben.Balance() != 150 {
		t.Errorf("wrong balances after the evening\n  got:  %d and %d\n  want: 350 and 150", ann.Balance(), ben.Balance())
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

// What is not covered is tried on three evenings, in its place among the others.
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
