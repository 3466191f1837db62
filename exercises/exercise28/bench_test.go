package census_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"onthestack/exercises/exercise28"
)

// usual is how many operations have the usual numbers: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAsk has 60 households and four clerks. After the usual operations every other one
// has any number of both. No operation may leave a goroutine behind.
func BenchmarkAsk(b *testing.B) {
	const most = 300
	r := newRand(b)
	people := make([]int, most)
	for i := range people {
		people[i] = r.IntN(10)
	}
	answers := make([]int, most)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	ask := func(i int) { answers[i] = people[i] + clock }
	before := runtime.NumGoroutine()
	census.Ask(most, most, ask) // warm up: the runtime uses goroutines that have ended again
	if n := left(before); n > 0 {
		b.Fatalf("goroutines are left behind\n  got:  %d\n  want: 0", n)
	}
	b.ResetTimer()
	for i := range b.N {
		households, clerks := 60, 4
		if i > usual && i%2 == 1 {
			households, clerks = (clock+i/2)%most, 1+i/2%23
		}
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
	}
}
