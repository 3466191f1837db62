package warehouse_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"onthestack/exercises/exercise4"
)

// A both is a stock beside the shelf that it is compared with.
type both struct {
	stock warehouse.Stock
	shelf shelf
}

func (b *both) add(name string, size, n int) {
	b.stock.Add(name, size, n)
	b.shelf.add(name, size, n)
}

func (b *both) count(t *testing.T, name string, size int) {
	t.Helper()
	if got, want := b.stock.Count(name, size), b.shelf.count(name, size); got != want {
		t.Fatalf("wrong number of parts, among %d kinds\n  name: %.40q, %d bytes\n  size: %d\n  got:  %d\n  want: %d",
			len(b.shelf), name, len(name), size, got, want)
	}
}

func (b *both) compare(t *testing.T) {
	t.Helper()
	for _, p := range b.shelf {
		b.count(t, p.name, p.size)
	}
	want := b.shelf.largest()
	if name, size, n := b.stock.Largest(); name != want.name || size != want.size || n != want.n {
		t.Fatalf("wrong largest part, among %d kinds\n  got:  %d of %.40q, size %d\n  want: %d of %.40q, size %d",
			len(b.shelf), n, name, size, want.n, want.name, want.size)
	}
}

func TestEmpty(t *testing.T) {
	var b both
	b.compare(t)
	b.count(t, "", 0)
	b.count(t, "bolt", 8)
	b.add("", 0, 0) // now there is a part
	b.compare(t)
	b.add("", 0, -1)
	b.compare(t)
}

func TestStock(t *testing.T) {
	var b both
	for _, p := range []item{
		{"bolt", 8, 100}, {"bolt", 10, 40}, {"nut", 8, 100}, {"bolt", 8, 1}, {"nut", 8, 1}, {"Bolt", 8, 101},
		{"bolt/8", 10, 5}, {"bolt", 810, 5}, {"bolt8", 10, 5}, {"bolt ", 8, 7}, {"", 8, 7}, {"/", 8, 7},
		{"bolt", -8, 9}, {"bolt-", 8, 9}, {"bolt/", -8, 9}, {"nut", 8, -500}, {"nut", 0, 3}, {"nut\x00", 8, 3},
	} {
		b.add(p.name, p.size, p.n)
		b.compare(t)
	}
	b.count(t, "bolt", 9)
	b.count(t, "bol", 8)
	b.count(t, "bolts", 8)
}

// Among parts of the same number, the smallest name comes first, then the smallest size.
func TestLargestOfEquals(t *testing.T) {
	r := newRand(t)
	for range 200 {
		var b both
		n := r.IntN(5) - 2
		for range 1 + r.IntN(12) {
			name, size := newName(r, 2), r.IntN(5)-2
			b.add(name, size, n-b.shelf.count(name, size))
		}
		b.compare(t)
	}
}

// Only negative numbers: the largest is the one that is nearest to 0.
func TestNegative(t *testing.T) {
	r := newRand(t)
	var b both
	for range 30 {
		b.add(newName(r, 5), r.IntN(3), -1-r.IntN(100))
		b.compare(t)
	}
}

// Sizes and numbers on both sides of every power of two, which is where the smaller types
// end.
func TestSizesAndNumbers(t *testing.T) {
	var b both
	for power := 1; power > 0; power *= 2 {
		for n := power - 1; n <= power && n+1 > 0; n++ {
			b.add("bolt", n, n)
			b.add("bolt", -n, 1)
			b.add("nut", n, -n)
		}
		b.add("bolt", power-1+power, 1)
		b.compare(t)
	}
	b.add("bolt", math.MaxInt, math.MaxInt)
	b.add("bolt", math.MinInt, math.MinInt)
	b.add("screw", math.MinInt, math.MaxInt)
	b.compare(t)
}

// A name is any text, of any length, and names may differ in a single byte.
func TestNames(t *testing.T) {
	r := newRand(t)
	var b both
	for i, name := range []string{"", "/", "//", "1", "/1", "1/", "\x00", "\xff", "a\x00", "Ä", "a/1/2", "a\n"} {
		b.add(name, 1, i)
		b.add(name, 12, 2*i)
	}
	for n := 8; n <= 256<<10; n *= 2 {
		long := strings.Repeat("bolt", n/4)
		for i, name := range []string{
			long, long + "!", long + "?", "!" + long, long[:n-1], long[:n/2] + "!" + long[n/2:],
		} {
			b.add(name, n, i)
			b.add(name, i, -n)
		}
	}
	long := strings.Repeat("nuts", 1<<18+r.IntN(1<<10))
	b.add(long+"!", 1, 5)
	b.add(long+"?", 1, 6)
	b.count(t, long, 1)
	b.compare(t)
}

// Names that have the same hash are still different names.
func TestCollisions(t *testing.T) {
	var b both
	for i, pair := range collisions() {
		for size := range 3 {
			b.add(pair[0], size, 10*i+1)
			b.count(t, pair[1], size)
			b.add(pair[1], size, 10*i+2)
		}
		b.compare(t)
	}
}

// There is no limit to the parts of a stock. There are so many that some of their names have the same hash
// of 32 bits.
func TestManyParts(t *testing.T) {
	const many, asked, length = 1 << 18, 1 << 16, 12
	r := newRand(t)
	all := make([]byte, (many+asked)*length)
	for i := 0; i < len(all); i += length {
		bits := r.Uint64()
		for j := range length {
			all[i+j] = "abc/ -XYZ019\x00\xff.:"[bits%16]
			bits /= 16
		}
	}
	names := string(all)
	name := func(i int) string { return names[i*length:][:length] }
	var stock warehouse.Stock
	for i := range many {
		stock.Add(name(i), 8, i+1)
	}
	for i := range many + asked {
		want := i + 1
		if i >= many {
			want = 0
		}
		if got := stock.Count(name(i), 8); got != want {
			t.Fatalf("wrong number of parts, among %d kinds\n  name: %q\n  size: 8\n  got:  %d\n  want: %d", many, name(i),
				got, want)
		}
	}
	if got, size, n := stock.Largest(); got != name(many-1) || size != 8 || n != many {
		t.Fatalf("wrong largest part, among %d kinds\n  got:  %d of %q, size %d\n  want: %d of %q, size 8", many, n, got,
			size, many, name(many-1))
	}
}

// Many names and many sizes at once: the kinds are as many as there are pairs of them.
func TestNamesAndSizes(t *testing.T) {
	r := newRand(t)
	names, sizes := make([]string, 30+r.IntN(200)), make([]int, 30+r.IntN(200))
	for i := range names {
		names[i] = newName(r, 20) + "#" + strings.Repeat("i", i)
	}
	for i := range sizes {
		sizes[i] = int(r.Uint64())>>r.IntN(64)&^0xff | i
	}
	var stock warehouse.Stock
	for i, name := range names {
		for j, size := range sizes {
			stock.Add(name, size, i*len(sizes)+j)
		}
	}
	for i, name := range names {
		for j, size := range sizes {
			if got, want := stock.Count(name, size), i*len(sizes)+j; got != want {
				t.Fatalf("wrong number of parts, among %d names of %d sizes\n  name: %q\n  size: %d\n  got:  %d\n  want: %d",
					len(names), len(sizes), name, size, got, want)
			}
		}
	}
}

// A Stock grows with its parts, not with what is done to them.
func TestStaysSmall(t *testing.T) {
	const kinds, rounds, limit = 10, 8000, 8 << 10
	stocks := make([]warehouse.Stock, 4)
	r := newRand(t)
	var names [kinds]string
	for i := range names {
		names[i] = newName(r, 20)
	}
	before := heap()
	for round := range rounds {
		for i := range stocks {
			stock, name := &stocks[i], names[(i+round)%kinds]
			stock.Add(name, round%2, 1)
			stock.Count(name, round)
			stock.Largest()
		}
	}
	if each := (heap() - before) / len(stocks); each > limit {
		t.Fatalf("each Stock of %d kinds of parts takes too much after %d changes\n  got:  %d bytes\n  want: %d at most",
			2*kinds, rounds, each, limit)
	}
	runtime.KeepAlive(stocks)
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestTwoStocks(t *testing.T) {
	r := newRand(t)
	var stocks [2]both
	for range 300 {
		stocks[r.IntN(2)].add(newName(r, 3), r.IntN(4), r.IntN(20)-5)
	}
	stocks[0].compare(t)
	stocks[1].compare(t)
}

func TestRandomDays(t *testing.T) {
	r := newRand(t)
	for range 60 {
		var b both
		for range 100 {
			b.add(newName(r, 1+r.IntN(40)), r.IntN(6)-2, r.IntN(50)-10)
			b.count(t, newName(r, 3), r.IntN(6)-2)
		}
		b.compare(t)
	}
}
