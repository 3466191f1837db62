package till_test

import (
	"math/rand/v2"
	"testing"

	till "onthestack/exercises/exercise12"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkAdd by itself, with inputs of other classes.

// BenchmarkAddConfirm adds up rolls of up to 50 lines with any numbers, some without a newline at the end.
func BenchmarkAddConfirm(b *testing.B) {
	r := newRand(b)
	var rolls []roll
	for n := range 100 {
		rolls = append(rolls, newOther(r, n/2))
	}
	for range 20 {
		rolls = append(rolls, newRoll(r, 8*anySize(r, 10)))
	}
	confirm(b, rolls, nil)
}

// BenchmarkAddConfirmLong has a roll of any number of lines in one of 500 operations, up to more than 1 MiB,
// and more lines than 16 bits can count.
func BenchmarkAddConfirmLong(b *testing.B) {
	r := newRand(b)
	long := []roll{newRoll(r, 1<<17+8*anySize(r, 1<<12))}
	for range 15 {
		long = append(long, newRoll(r, 8*anySize(r, 1<<12)))
	}
	confirm(b, []roll{newRoll(r, 8)}, long)
}

// confirm adds up each of the rolls in turn, and one of rare in 500 operations. No two operations have the
// same prices, and all sums are compared with what must come.
func confirm(b *testing.B, rolls, rare []roll) {
	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		f := &rolls[i%len(rolls)]
		if len(rare) > 0 && i%500 == 0 {
			f = &rare[i/500%len(rare)]
		}
		want := f.setPrices(clock + i)
		got, err := till.Add(f.text)
		if err != nil || got != want {
			b.Fatalf("wrong sums\n  roll: %.200q\n  got:  %+v, %v\n  want: %+v, <nil>", f.text, got, err, want)
		}
		i++
	}
}
