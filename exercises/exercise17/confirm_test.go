package wording_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise17"
)

// BenchmarkTextConfirmAny asks two catalogs by turns for texts with keys of any length up to 64 bytes, in any
// language or in none. Under some of them there is no text. No two operations ask in the same capitals, and each
// answer is compared with what must come.
func BenchmarkTextConfirmAny(b *testing.B) {
	r := newRand(b)
	catalogs := [2]*wording.Catalog{wording.New(), wording.New()}
	var questions [2][]question
	for i, c := range catalogs {
		for size := 2; size <= 64; size++ {
			questions[i] = append(questions[i], newOther(r, c, size), newOther(r, c, 33+r.IntN(32)))
		}
	}

	clock := rand.Uint64() // not from r: no call of this function repeats another's capitals
	for i := 0; b.Loop(); i++ {
		all := questions[i%2]
		q := &all[i/2%len(all)]
		q.capitals(clock + uint64(i))
		text, ok := catalogs[i%2].Text(inPlace(q.lang), inPlace(q.screen), inPlace(q.name))
		if ok == q.missing || text != q.want {
			b.Fatalf("wrong text\n  lang:   %q\n  screen: %.80q\n  name:   %.80q\n  got:    %q, %t\n  want:   %q, %t",
				q.lang, q.screen, q.name, text, ok, q.want, !q.missing)
		}
	}
}
