package bikes_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise25"
)

// usual is how many operations have the usual city: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkNearest looks for bikes in a city of 40 stations. One station moves before each
// operation, and the place is another one. After the usual operations every other search
// is in a city of any size.
func BenchmarkNearest(b *testing.B) {
	r := newRand(b)
	towns := []*town{newTown(r, 40, 10_000)}
	if b.N > usual {
		for n := range 40 {
			towns = append(towns, newTown(r, n*n/4, 1+r.IntN(1000)))
		}
		towns = append(towns, newTown(r, 5000, 1e9))
	}
	finders := make([]*bikes.Finder, len(towns))
	for i, t := range towns {
		finders[i] = bikes.NewFinder(t)
	}
	places := make([]int, 256)
	for i := range places {
		places[i] = r.IntN(20_000) - 10_000
	}
	last := len(towns) - 1

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		which := 0
		if i > usual && i%2 == 1 {
			which = 1 + i/2%(last-1)
			if i%500 == 251 {
				which = last
			}
		} else {
			moved := &towns[0].stations[(clock+i)%40]
			moved.X, moved.Y = moved.Y, -moved.X
		}
		x, y, wanted := places[(clock+i)%256], places[(clock+i)/256%256], i%7
		got, ok := finders[which].Nearest(x, y, wanted)
		if want, found := towns[which].nearest(x, y, wanted); got != want || ok != found {
			b.Fatalf("wrong station\n  place:  %d, %d\n  wanted: %d\n  got:    %.40v, %v\n  want:   %.40v, %v", x, y,
				wanted, got, ok, want, found)
		}
	}
}
