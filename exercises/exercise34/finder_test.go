package bikes_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise34"
)

// search compares what a finder of a town returns, and that it asks the town exactly once.
func search(t *testing.T, f *bikes.Finder, city *town, x, y, wanted int) {
	t.Helper()
	asked := city.asked
	got, ok := f.Nearest(x, y, wanted)
	if want, found := city.nearest(x, y, wanted); got != want || ok != found {
		t.Fatalf("wrong station, among %d\n  place:  %d, %d\n  wanted: %d\n"+
			"  got:    %.40q at %d, %d with %d bikes, %v\n"+
			"  want:   %.40q at %d, %d with %d bikes, %v", len(city.stations), x, y, wanted,
			got.Name, got.X, got.Y, got.Bikes, ok, want.Name, want.X, want.Y, want.Bikes, found)
	}
	if city.asked != asked+1 {
		t.Fatalf("Nearest does not ask the city exactly once\n  got:  %d calls of Each\n  want: 1", city.asked-asked)
	}
}

func TestNearest(t *testing.T) {
	market, harbor := bikes.Station{Name: "Market", X: 10, Bikes: 5}, bikes.Station{Name: "Harbor", Y: -20, Bikes: 9}
	empty, school := bikes.Station{Name: "Empty", X: 1, Y: 1}, bikes.Station{Name: "School", X: -10, Bikes: 5}
	unnamed := bikes.Station{Bikes: -3}
	for _, stations := range [][]bikes.Station{
		nil, {market}, {empty}, {unnamed}, {market, harbor}, {harbor, market}, {market, school}, {school, market},
		{empty, market, harbor, school}, {harbor, school, market, empty, unnamed}, {market, market}, {unnamed, empty},
	} {
		city := &town{stations: stations}
		f := bikes.NewFinder(city)
		for _, place := range [][2]int{
			{0, 0}, {10, 0}, {-10, 0}, {0, -20}, {1, 1}, {5, -10}, {1e9, -1e9}, {-1e9, 1e9},
		} {
			for _, wanted := range []int{1, 0, 5, 6, 9, 10, -1, -3, -4, math.MaxInt, math.MinInt} {
				search(t, f, city, place[0], place[1], wanted)
			}
		}
	}
}

// The far ends of both axes.
func TestFar(t *testing.T) {
	const end = 1e9
	var city town
	for _, x := range []int{-end, -end + 1, 0, end - 1, end} {
		for _, y := range []int{end, 0, -end} {
			city.stations = append(city.stations, bikes.Station{Name: "far", X: x, Y: y, Bikes: len(city.stations)})
		}
	}
	f := bikes.NewFinder(&city)
	for _, x := range []int{-end, 0, end - 1, end} {
		for _, y := range []int{-end, 1, end} {
			for wanted := range 17 {
				search(t, f, &city, x, y, wanted)
			}
		}
	}
}

// A city changes between the searches of one finder: it grows, shrinks and is empty.
func TestChangingCity(t *testing.T) {
	r := newRand(t)
	city := &town{}
	f := bikes.NewFinder(city)
	for range 1000 {
		city.stations = newTown(r, r.IntN(8), 1+r.IntN(10)).stations
		search(t, f, city, r.IntN(20)-10, r.IntN(20)-10, r.IntN(12)-1)
	}
}

// Cities of all sizes, in which a single station has enough bikes, or none has.
func TestLargeCities(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<17; n *= 8 {
		city := newTown(r, n+1+r.IntN(n), 1e9)
		f := bikes.NewFinder(city)
		search(t, f, city, 0, 0, 10_000)
		search(t, f, city, 0, 0, 0)
		city.stations[len(city.stations)-1].Bikes = 10_000
		search(t, f, city, 0, 0, 10_000)
	}
}

// A nested city looks for another station, with another finder, while it passes its own.
type nested struct {
	town
	finder *bikes.Finder
	inner  *town
	t      *testing.T
}

func (n *nested) Each(visit func(bikes.Station)) {
	n.asked++
	for i, s := range n.stations {
		visit(s)
		search(n.t, n.finder, n.inner, i, -i, i%5)
	}
}

func TestTwoFinders(t *testing.T) {
	r := newRand(t)
	one, two := newTown(r, 30, 10), newTown(r, 30, 10)
	first, second := bikes.NewFinder(one), bikes.NewFinder(two)
	for i := range 100 {
		search(t, first, one, i%20-10, 0, i%8)
		search(t, second, two, 0, i%20-10, i%5)
	}
	outer := &nested{*newTown(r, 20, 10), first, one, t}
	f := bikes.NewFinder(outer)
	for i := range 20 {
		search(t, f, &outer.town, i-10, 3, i%6)
	}
	same := bikes.NewFinder(one)
	for i := range 20 {
		search(t, same, one, i-10, 3, i%6)
		search(t, first, one, 3, i-10, i%6)
	}
}

// A busy city panics after some of its stations, or keeps the function and calls it with
// other stations when the search is over.
type busy struct {
	town
	panicAt int // the station before which it panics, -1 for none
	visit   func(bikes.Station)
}

func (b *busy) Each(visit func(bikes.Station)) {
	b.asked++
	b.visit = visit
	for i, s := range b.stations {
		if i == b.panicAt {
			panic("no connection")
		}
		visit(s)
	}
}

// late calls the function that the city was given last.
func (b *busy) late(stations []bikes.Station) {
	for _, s := range stations {
		b.visit(s)
	}
}

// panics calls Nearest, and reports whether that panics.
func panics(f *bikes.Finder, x, y, wanted int) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f.Nearest(x, y, wanted)
	return false
}

// A search is not impaired by one that panicked, nor by calls of the function between
// the two.
func TestBusyCity(t *testing.T) {
	r := newRand(t)
	city := &busy{panicAt: -1}
	f := bikes.NewFinder(city)
	for range 500 {
		city.stations = newTown(r, 1+r.IntN(6), 1+r.IntN(10)).stations
		if r.IntN(2) == 0 {
			city.panicAt = r.IntN(len(city.stations))
			if !panics(f, r.IntN(20)-10, r.IntN(20)-10, r.IntN(8)) {
				t.Fatalf("the city panics and Nearest does not\n  stations: %d\n  got:      no panic\n"+
					"  want:     a panic", len(city.stations))
			}
			city.panicAt = -1
		} else {
			search(t, f, &city.town, r.IntN(20)-10, r.IntN(20)-10, r.IntN(8))
		}
		if r.IntN(2) == 0 {
			city.late(newTown(r, 1+r.IntN(6), 1+r.IntN(10)).stations)
		}
		city.stations = newTown(r, r.IntN(6), 1+r.IntN(10)).stations
		search(t, f, &city.town, r.IntN(20)-10, r.IntN(20)-10, r.IntN(8))
	}
}

// The names of the stations can be freed once Nearest has returned or panicked, and when a
// city calls the function afterwards. A name may be a small part of a large text.
func TestKeepsNoName(t *testing.T) {
	for _, wanted := range []int{0, 3} {
		for _, length := range []int{512 << 10, 5} {
			for _, end := range []string{"returns", "panics", "is late"} {
				got := kept(4, func() *bikes.Finder {
					city := &busy{panicAt: -1}
					f := bikes.NewFinder(city)
					for i := range 3 {
						name := strings.Repeat("x", 512<<10)[:length]
						city.stations = []bikes.Station{
							{Name: name, Bikes: i}, {Name: name + "!", Bikes: 2}, {Name: name},
						}
						search(t, f, &city.town, i, 0, wanted)
					}
					switch end {
					case "panics":
						city.panicAt = 2
						panics(f, 0, 0, wanted)
					case "is late":
						city.late(city.stations)
					}
					city.stations, city.visit = nil, nil
					return f
				})
				if want := 8 << 10; got > want {
					t.Errorf("a finder keeps the memory of names\n  wanted: %d bikes, of stations with up to 2\n"+
						"  names:  %d bytes of a text of %d bytes\n  city:   %s\n  got:    %d bytes\n"+
						"  want:   at most %d bytes", wanted, length, 512<<10, end, got, want)
				}
			}
		}
	}
}

// A finder keeps nothing of its searches, however many they are.
func TestMemory(t *testing.T) {
	r := newRand(t)
	got := kept(2, func() *bikes.Finder {
		city := newTown(r, 10, 100)
		f := bikes.NewFinder(city)
		for i := range 20_000 {
			search(t, f, city, i%201-100, i%51, i%9)
		}
		city.stations = newTown(r, 20_000, 100).stations
		search(t, f, city, 0, 0, 1)
		city.stations = nil
		return f
	})
	if want := 8 << 10; got > want {
		t.Errorf("a finder keeps memory of its searches\n  searches: 20000, and one in a city of 20000 stations\n"+
			"  got:      %d bytes\n  want:     at most %d bytes", got, want)
	}
}

// Each goroutine has a finder of its own, and they look in the same city.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	stations := newTown(r, 50, 100).stations
	var riders sync.WaitGroup
	for range 8 {
		riders.Go(func() {
			city := &town{stations: stations}
			f := bikes.NewFinder(city)
			for i := range 100 {
				got, ok := f.Nearest(i, -i, i%8)
				if want, found := city.nearest(i, -i, i%8); got != want || ok != found {
					t.Errorf("wrong station when goroutines each have a finder\n  got:  %v, %v\n  want: %v, %v",
						got, ok, want, found)
					return
				}
			}
		})
	}
	riders.Wait()
}
