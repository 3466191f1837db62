package warehouse_test

import (
	"strings"
	"testing"

	"onthestack/exercises/exercise4"
)

// BenchmarkStockConfirmAny adds to parts of any names and sizes, in two stocks by turns, and asks for numbers of
// them and of parts that neither stock has had.
func BenchmarkStockConfirmAny(b *testing.B) {
	r := newRand(b)
	kinds := make([]item, 60)
	for i := range kinds {
		// Another name may be the same text, and the stock counts both as one part.
		kinds[i] = item{newName(r, 1+anySize(r, 100)) + "#" + strings.Repeat("i", i), int(r.Uint64()) >> r.IntN(64), 0}
		if i%10 == 9 {
			kinds[i].name += strings.Repeat("y", anySize(r, 64<<10))
		}
	}
	var stocks [2]warehouse.Stock
	var shelves [2]shelf
	for i := range stocks {
		for _, p := range kinds {
			stocks[i].Add(p.name, p.size, 0)
		}
		shelves[i] = append(shelf(nil), kinds...)
	}

	for i := 0; b.Loop(); i++ {
		stock, shelf, which := &stocks[i%2], shelves[i%2], i/2%len(kinds)
		p := &shelf[which]
		n := 1 + (i*i+which)%9
		stock.Add(p.name, p.size, n)
		p.n += n
		if got := stock.Count(p.name, p.size); got != p.n {
			b.Fatalf("wrong number of parts\n  name: %.40q\n  size: %d\n  got:  %d\n  want: %d", p.name, p.size, got, p.n)
		}
		if got := stock.Count(p.name, ^p.size); got != 0 {
			b.Fatalf("wrong number of parts\n  name: %.40q\n  size: %d\n  got:  %d\n  want: 0", p.name, ^p.size, got)
		}
		if i%8 == 0 {
			want := shelf.largest()
			if name, size, n := stock.Largest(); name != want.name || size != want.size || n != want.n {
				b.Fatalf("wrong largest part\n  got:  %d of %.40q, size %d\n  want: %d of %.40q, size %d", n, name, size,
					want.n, want.name, want.size)
			}
		}
	}
}
