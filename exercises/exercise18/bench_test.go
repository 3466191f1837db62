package cinema_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise18"
)

// usual is how many operations have the usual hall: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkFree is a hall of 24 rows with 25 seats each, of which 110 are free. Before each
// operation one seat is sold and another one is returned, so that no two operations
// have the same free seats. After the usual operations every other hall is of any size.
func BenchmarkFree(b *testing.B) {
	const rows, seats, open = 24, 25, 110
	r := newRand(b)
	hall := make([]cinema.Row, rows)
	for i := range hall {
		hall[i] = cinema.Row{Number: i + 1, Sold: slices.Repeat([]bool{true}, seats)}
	}
	for n := 0; n < open; {
		if sold := &hall[r.IntN(rows)].Sold[r.IntN(seats)]; *sold {
			*sold = false
			n++
		}
	}
	type other struct {
		hall []cinema.Row
		want []cinema.Seat
	}
	var others, large []other
	if b.N > usual {
		for n := range 100 {
			hall, want := hallOf(r, n) // B/op are at most those of the usual hall on average
			others = append(others, other{hall, want})
		}
		for n := 128; n <= 4096; n *= 2 {
			hall, want := hallOf(r, n+1)
			large = append(large, other{hall, want})
		}
	}
	var want [open]cinema.Seat

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		if i > usual && i%2 == 1 {
			o := &others[i/2%len(others)]
			if i%500 == 251 {
				o = &large[i/500%len(large)]
			}
			if got := cinema.Free(o.hall); !slices.Equal(got, o.want) {
				b.Fatalf("wrong seats\n  got:  %s\n  want: %s", show(got), show(o.want))
			}
			continue
		}
		swap(hall, clock+i)
		n := 0
		for _, row := range hall {
			for j, sold := range row.Sold {
				if !sold {
					want[n] = cinema.Seat{Row: row.Number, Number: j + 1}
					n++
				}
			}
		}
		if got := cinema.Free(hall); !slices.Equal(got, want[:]) {
			b.Fatalf("wrong seats\n  got:  %s\n  want: %s", show(got), show(want[:]))
		}
	}
}

// swap sells the first free seat from a place on, and returns the next sold one.
func swap(hall []cinema.Row, from int) {
	seats := len(hall[0].Sold)
	at := func(i int) *bool { i %= len(hall) * seats; return &hall[i/seats].Sold[i%seats] }
	for *at(from) {
		from++
	}
	*at(from) = true
	for from++; !*at(from); from++ {
	}
	*at(from) = false
}
