package census_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"onthestack/exercises/exercise39"
)

// BenchmarkAskConfirmOne has one clerk or one household, and any number of the others.
func BenchmarkAskConfirmOne(b *testing.B) {
	askEach(b, func(r *rand.Rand) (households, clerks int) {
		if r.IntN(2) == 0 {
			return newSize(r, 1000), 1
		}
		return 1, newSize(r, 1000)
	})
}

// BenchmarkAskConfirmFew has 2 to 16 clerks, and any number of households.
func BenchmarkAskConfirmFew(b *testing.B) {
	askEach(b, func(r *rand.Rand) (households, clerks int) { return 1 + newSize(r, 600), 1 + newSize(r, 16) })
}

// BenchmarkAskConfirmMany has more than 16 clerks. There are more households, or fewer.
func BenchmarkAskConfirmMany(b *testing.B) {
	i := 0
	askEach(b, func(r *rand.Rand) (households, clerks int) {
		if i++; i%4 > 0 {
			return 1 + newSize(r, 30), 30 + newSize(r, 1e6)
		}
		sizes := newSizes(r, 600)[4:]
		clerks = sizes[i/4%len(sizes)]
		return clerks + newSize(r, 100), clerks
	})
}

// askEach asks as many households with as many clerks as next returns. No operation may
// leave a goroutine behind.
func askEach(b *testing.B, next func(*rand.Rand) (households, clerks int)) {
	r := newRand(b)
	var sizes [101][2]int
	most := 0
	for i := range sizes {
		households, clerks := next(r)
		sizes[i] = [2]int{households, clerks}
		most = max(most, households)
	}
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	people, answers := make([]int, most), make([]int, most)
	for i := range people {
		people[i] = r.IntN(10)
	}
	ask := func(i int) { answers[i] = people[i] + clock }
	before := runtime.NumGoroutine()
	census.Ask(most, most, ask) // the runtime uses goroutines that have ended again
	if n := left(before); n > 0 {
		b.Fatalf("goroutines are left behind\n  got:  %d\n  want: 0", n)
	}
	i := 0
	for b.Loop() {
		households, clerks := sizes[i%len(sizes)][0], sizes[i%len(sizes)][1]
		clock++
		census.Ask(households, clerks, ask)
		if n := left(before); n > 0 {
			b.Fatalf("goroutines are left behind\n  got:  %d\n  want: 0", n)
		}
		for j := range households {
			if answers[j] != people[j]+clock {
				b.Fatalf("household %d of %d was not asked, with %d clerks", j, households, clerks)
			}
		}
		i++
	}
}
