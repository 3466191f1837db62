package bikes_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise34"
)

// BenchmarkNearestConfirmCities looks in cities of all sizes, with a Finder for each.
func BenchmarkNearestConfirmCities(b *testing.B) {
	r := newRand(b)
	cities, finders := make([]*town, 101), make([]*bikes.Finder, 101)
	for i := range cities {
		cities[i] = newTown(r, newSize(r, 1000)-1, newSize(r, 1e9))
		finders[i] = bikes.NewFinder(cities[i])
	}
	questions := make([]question, 1009)
	for i := range questions {
		questions[i] = newQuestion(r, cities[i%len(cities)])
	}
	for i := 0; b.Loop(); i++ {
		at := i % len(questions)
		questions[at].ask(b, finders[at%len(finders)])
	}
}

// BenchmarkNearestConfirmChanging looks in a city that grows and shrinks, with one Finder.
func BenchmarkNearestConfirmChanging(b *testing.B) {
	r := newRand(b)
	all := newTown(r, 1000, 10_000)
	sizes, questions := make([]int, 1009), make([]question, 1009)
	for i := range sizes {
		sizes[i] = newSize(r, 1000) - 1
		questions[i] = newQuestion(r, &town{stations: all.stations[:sizes[i]]})
	}
	city := &town{}
	f := bikes.NewFinder(city)
	for i := 0; b.Loop(); i++ {
		at := i % len(questions)
		city.stations = all.stations[:sizes[at]]
		questions[at].ask(b, f)
	}
}

// A question has the answer of a city.
type question struct {
	x, y, wanted int
	want         bikes.Station
	ok           bool
}

// newQuestion returns a question about any place in or around a city.
func newQuestion(r *rand.Rand, city *town) question {
	q := question{x: r.IntN(20_001) - 10_000, y: r.IntN(20_001) - 10_000, wanted: r.IntN(9) - 1}
	q.want, q.ok = city.nearest(q.x, q.y, q.wanted)
	return q
}

func (q *question) ask(b *testing.B, f *bikes.Finder) {
	if got, ok := f.Nearest(q.x, q.y, q.wanted); got != q.want || ok != q.ok {
		b.Fatalf("wrong station in the benchmark\n  place:  %d, %d\n  wanted: %d\n  got:    %.40q, %v\n  want:   %.40q, %v",
			q.x, q.y, q.wanted, got.Name, ok, q.want.Name, q.ok)
	}
}
