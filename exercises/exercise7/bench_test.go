package till_test

import (
	"math/rand/v2"
	"testing"

	till "onthestack/exercises/exercise7"
)

// usual is how many operations have no long roll: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAdd adds up rolls of eight lines. No two operations have the same prices, and
// all sums are compared with what must come.
//
// After the usual operations the rolls have any number of lines, up to more than 65 536,
// any numbers in them, and some no newline at the end.
func BenchmarkAdd(b *testing.B) {
	r := newRand(b)
	rolls := make([]roll, 20)
	for i := range rolls {
		rolls[i] = newRoll(r, 8)
	}

	var others, long []roll
	if b.N > usual {
		for n := range 51 {
			others = append(others, newOther(r, n%17))
		}
		for n := 64; n <= 1<<16; n *= 4 {
			long = append(long, newRoll(r, n+8))
		}
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		f := &rolls[i%len(rolls)]
		switch {
		case i <= usual:
		case i%1000 == 500:
			f = &long[i/1000%len(long)]
		default:
			f = &others[i%len(others)]
		}
		want := f.setPrices(clock + i)
		got, err := till.Add(f.text)
		if err != nil || got != want {
			b.Fatalf("wrong sums\n  roll: %.200q\n  got:  %+v, %v\n  want: %+v, <nil>", f.text, got, err, want)
		}
	}
}
