package cinema_test

import (
	"slices"
	"testing"

	"onthestack/exercises/exercise18"
)

// most is the target for B/op.
const most = 1792

// BenchmarkFreeConfirmAny lists the seats of halls of all sizes, which need as many bytes as the target allows
// on average, so that none has any to spare.
func BenchmarkFreeConfirmAny(b *testing.B) {
	r := newRand(b)
	var halls [][]cinema.Row
	spare := 0
	add := func(n int) {
		hall, _ := hallOf(r, n)
		halls = append(halls, hall)
		spare += most - bytesOf(n)
	}
	for range 300 {
		add(1 + anySize(r, 100))
	}
	for spare > 0 {
		add(113 + r.IntN(min(1+spare/16, 2000)))
	}
	for spare < 0 {
		add(min(96, max(1, 112+spare/16))) // 97 would take as much as 112
	}
	r.Shuffle(len(halls), func(i, j int) { halls[i], halls[j] = halls[j], halls[i] })
	confirm(b, halls)
}

// BenchmarkFreeConfirmSoldOut lists the seats of large halls that are nearly sold out. A list that has room for
// all seats, or for those of a row, takes more than the target.
func BenchmarkFreeConfirmSoldOut(b *testing.B) {
	r := newRand(b)
	halls := make([][]cinema.Row, 50)
	for i := range halls {
		halls[i] = make([]cinema.Row, 20+anySize(r, 100))
		for j := range halls[i] {
			halls[i][j] = cinema.Row{Number: j + 1, Sold: slices.Repeat([]bool{true}, 20+anySize(r, 50))}
		}
		for n := 105 + r.IntN(8); n > 0; {
			row := halls[i][r.IntN(len(halls[i]))].Sold
			if seat := &row[r.IntN(len(row))]; *seat {
				*seat = false
				n--
			}
		}
	}
	confirm(b, halls)
}

// confirm measures the lists of halls, one after the other.
func confirm(b *testing.B, halls [][]cinema.Row) {
	for i := 0; b.Loop(); i++ {
		list = cinema.Free(halls[i%len(halls)])
	}
}

// bytesOf returns how much memory an array for n seats takes.
func bytesOf(n int) int {
	return cap(append([]cinema.Seat(nil), make([]cinema.Seat, n)...)) * 16
}
