package till_test

import (
	"math/rand/v2"
	"testing"

	till "onthestack/exercises/exercise7"
)

// usual is how many operations have no long roll: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAdd adds up rolls of eight lines and, behind the usual operations, now and
// then one of more than 65 536 lines. No two operations have the same prices, and all
// sums are compared with what must come.
func BenchmarkAdd(b *testing.B) {
	r := newRand(b)
	rolls := make([]roll, 20)
	for i := range rolls {
		rolls[i] = newRoll(r, 8)
	}

	var long roll
	if b.N > usual {
		long = newRoll(r, 1<<16+8)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		f := &rolls[i%len(rolls)]
		if i > usual && i%2500 == 2000 {
			f = &long
		}
		want := f.setPrices(clock + i)
		got, err := till.Add(f.text)
		if err != nil || got != want {
			b.Fatalf("wrong sums\n  roll: %.200q\n  got:  %+v, %v\n  want: %+v, <nil>", f.text, got, err, want)
		}
	}
}
