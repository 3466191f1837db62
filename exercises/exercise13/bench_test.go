package ledger_test

import (
	"testing"

	ledger "onthestack/exercises/exercise13"
)

func BenchmarkDay(b *testing.B) {
	var l ledger.Ledger
	for _, name := range members {
		l.Open(name, 1000)
	}
	l.Open("hal", 0)

	// Each member pays the next one, and hal has nothing to pay with: what he owes is kept for two
	// evenings and dropped on the third.
	day := func() {
		for i, name := range members {
			l.Note(name, members[(i+1)%len(members)], 20)
		}
		l.Note("hal", "ann", 20)
		l.Settle()
	}
	for range 3 { // the ledger grows
		day()
	}

	for b.Loop() {
		day()
	}
}
