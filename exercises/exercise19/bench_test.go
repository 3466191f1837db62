package warehouse_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise19"
)

// usual is how many operations have the usual parts: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkStock adds to one of 20 parts that the stock has had before, asks for the number
// of it, and for the part with the largest number. The names are longer than the 32 bytes
// that a text may have on the stack. After the usual operations every other part is of
// any name and size.
func BenchmarkStock(b *testing.B) {
	r := newRand(b)
	names := make([]string, 20)
	for i := range names {
		// All keys have the same length, so that B/op are the same in each run.
		name := newName(r, 30)
		names[i] = name + strings.Repeat("x", 50+i-len(name)) + strings.Repeat("z", len(names)-i)
	}
	kinds := make([]item, len(names))
	for i, name := range names {
		kinds[i] = item{name, 1000 + i, 0}
	}
	if b.N > usual {
		for i := range 60 {
			kinds = append(kinds, item{newName(r, i), int(r.Uint64()), 0})
		}
		for n := 64; n <= 4<<10; n *= 2 {
			kinds = append(kinds, item{strings.Repeat("y", n+1), -n, 0})
		}
	}
	// Another name may be the same text, and the stock counts both as one part.
	for i, p := range kinds[len(names):] {
		kinds[len(names)+i].name = p.name + "#" + strings.Repeat("i", i)
	}
	var stock warehouse.Stock
	for _, p := range kinds {
		stock.Add(p.name, p.size, 0)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	largest, ceiling := 0, 0
	b.ResetTimer()
	for i := range b.N {
		which := (clock + i) % len(names)
		if i > usual && i%2 == 1 {
			which = len(names) + i/2%(len(kinds)-len(names))
		}
		p := &kinds[which]
		n := 1 + (clock+i)%9
		stock.Add(p.name, p.size, n)
		p.n += n
		if got := stock.Count(p.name, p.size); got != p.n {
			b.Fatalf("wrong number of parts\n  name: %.40q\n  size: %d\n  got:  %d\n  want: %d", p.name, p.size, got,
				p.n)
		}
		if p.n > ceiling {
			largest, ceiling = which, p.n
		}
		if i%8 == 0 {
			name, size, n := stock.Largest()
			if want := kinds[largest]; n != ceiling ||
				n == kinds[largest].n && (name != want.name || size != want.size) && unique(kinds, n) {
				b.Fatalf("wrong largest part\n  got:  %d of %.40q, size %d\n  want: %d of %.40q, size %d", n, name,
					size, want.n, want.name, want.size)
			}
		}
	}
}

// unique reports whether only one part has the number n.
func unique(kinds []item, n int) bool {
	found := 0
	for _, p := range kinds {
		if p.n == n {
			found++
		}
	}
	return found == 1
}
