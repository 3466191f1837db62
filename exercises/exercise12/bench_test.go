package wording_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise12"
)

// usual is how many operations ask for these texts: the checker's figures are over them,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkText asks for texts with keys of 33 to 64 bytes: longer than what the
// compiler sets aside by itself. No two operations ask in the same capitals, and
// each answer is compared with what must come.
//
// After the usual operations the keys have any length up to 64 bytes, in any language
// or in none, and under some of them there is no text.
func BenchmarkText(b *testing.B) {
	r := newRand(b)
	c := wording.New()
	questions := make([]question, 32)
	for i := range questions {
		size := 33 + i // of the key that finds the text
		q := &questions[i]
		q.lang, q.want = []byte("de-AT"), string(letters(r, 12))
		found := []string{"de-at", "de", ""}[i%3]
		screen := 8 + r.IntN(10)
		if i%3 > 0 {
			size -= len(q.lang) - len(found) // the first key is the longest
		}
		q.screen = letters(r, screen)
		q.name = letters(r, size-len(found)-screen-len("//"))
		c.Add(found, string(q.screen), string(q.name), q.want)
	}

	var others []question
	if b.N > usual {
		for size := 2; size <= 64; size++ {
			others = append(others, newOther(r, c, size))
		}
	}

	clock := rand.Uint64() // not from r: no call of this function repeats another's capitals
	b.ResetTimer()
	for i := range b.N {
		q := &questions[i%len(questions)]
		if i > usual {
			q = &others[i%len(others)]
		}
		q.capitals(clock + uint64(i))
		text, ok := c.Text(inPlace(q.lang), inPlace(q.screen), inPlace(q.name))
		if ok == q.missing || text != q.want {
			b.Fatalf("wrong text\n  lang:   %q\n  screen: %.80q\n  name:   %.80q\n  got:    %q, %t\n  want:   %q, %t",
				q.lang, q.screen, q.name, text, ok, q.want, !q.missing)
		}
	}
}
