package bikes_test

import (
	"testing"

	"onthestack/exercises/exercise34"
)

// BenchmarkNearest looks for bikes in a city of 40 stations.
func BenchmarkNearest(b *testing.B) {
	city := newTown(newRand(b), 40, 10_000)
	f := bikes.NewFinder(city)
	for b.Loop() {
		f.Nearest(300, -400, 2)
	}
}
