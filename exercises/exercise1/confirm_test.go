package cinema_test

import (
	"slices"
	"testing"

	"onthestack/exercises/exercise1"
)

// most is the target for B/op.
const most = 1792

// BenchmarkFreeConfirmAny lists the seats of halls of all sizes, which need nearly as many bytes as the target
// allows on average, so that none has any to spare.
func BenchmarkFreeConfirmAny(b *testing.B) {
	r := newRand(b)
	var halls []hall
	spare := 0
	add := func(n int) {
		rows, want := hallOf(r, n)
		halls = append(halls, hall{rows, want})
		spare += most - bytesOf(n)
	}
	// Large halls use up what small ones spare. What the first operation may take is always left, since the
	// checker subtracts that.
	addLarge := func() {
		n := min(spare/16, 2000)
		for bytesOf(n) > spare {
			n--
		}
		add(n)
	}
	for range 400 {
		if spare > 4*most {
			addLarge()
		} else {
			add(1 + anySize(r, 100))
		}
	}
	for spare > 2*most {
		addLarge()
	}
	confirm(b, halls)
}

// BenchmarkFreeConfirmSoldOut lists the seats of large halls that are nearly sold out. A list that has room for
// all seats, or for those of a row, takes more than the target.
func BenchmarkFreeConfirmSoldOut(b *testing.B) {
	r := newRand(b)
	halls := make([]hall, 50)
	for i := range halls {
		rows := make([]cinema.Row, 20+anySize(r, 100))
		for j := range rows {
			rows[j] = cinema.Row{Number: j + 1, Sold: slices.Repeat([]bool{true}, 20+anySize(r, 50))}
		}
		for n := 97 + r.IntN(16); n > 0; {
			row := rows[r.IntN(len(rows))].Sold
			if seat := &row[r.IntN(len(row))]; *seat {
				*seat = false
				n--
			}
		}
		halls[i] = hall{rows, freeOf(rows)}
	}
	confirm(b, halls)
}

// A hall is one input and the seats that are free in it.
type hall struct {
	rows []cinema.Row
	want []cinema.Seat
}

// confirm lists the seats of halls, one after the other.
func confirm(b *testing.B, halls []hall) {
	for i := 0; b.Loop(); i++ {
		h := &halls[i%len(halls)]
		if got := free(h.rows); !slices.Equal(got, h.want) {
			b.Fatalf("wrong seats\n  got:  %s\n  want: %s", show(got), show(h.want))
		}
	}
}

// bytesOf returns how much memory an array for n seats takes.
func bytesOf(n int) int {
	return cap(append([]cinema.Seat(nil), make([]cinema.Seat, n)...)) * 16
}
