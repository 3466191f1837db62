package bikes_test

import (
	"testing"

	"onthestack/exercises/exercise34"
)

// BenchmarkNearestConfirmCities looks in cities of all sizes, with a Finder for each. No
// two operations have the same question.
func BenchmarkNearestConfirmCities(b *testing.B) {
	r := newRand(b)
	finders := make([]*bikes.Finder, 101)
	for i := range finders {
		finders[i] = bikes.NewFinder(newTown(r, newSize(r, 1000)-1, newSize(r, 1e9)))
	}
	i := 0
	for b.Loop() {
		finders[i%len(finders)].Nearest(i%20_011-10_000, i%10_007-5000, i%9-1)
		i++
	}
}

// BenchmarkNearestConfirmChanging looks in a city that grows and shrinks, with one Finder.
func BenchmarkNearestConfirmChanging(b *testing.B) {
	r := newRand(b)
	all := newTown(r, 1000, 10_000)
	sizes := make([]int, 1009)
	for i := range sizes {
		sizes[i] = newSize(r, 1000) - 1
	}
	city := &town{}
	f := bikes.NewFinder(city)
	i := 0
	for b.Loop() {
		city.stations = all.stations[:sizes[i%len(sizes)]]
		f.Nearest(i%20_011-10_000, i%10_007-5000, i%9-1)
		i++
	}
}
