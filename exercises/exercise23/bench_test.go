package gate_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise23"
)

// usual is how many operations have usual cards: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAdmit shows two cards, one of which nobody has, while Debug is false. Numbers above
// 255 need a box each. After the usual operations the cards are any.
func BenchmarkAdmit(b *testing.B) {
	r := newRand(b)
	var g gate.Gate
	g.Names = map[int]string{}
	cards := make([]int, 100)
	names := make([]string, len(cards))
	for i := range cards {
		cards[i], names[i] = 2*(1000+i), "A"+newName(r, 20) // an empty name needs no box
		if i >= 50 {
			cards[i], names[i] = 2*int(r.Uint64()>>2)>>r.IntN(56)*2, newName(r, 200)
		}
		g.Names[cards[i]] = names[i]
	}
	for i, card := range cards { // two of them may be the same
		names[i] = g.Names[card]
	}
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		which := (clock + i) % 50
		if i > usual && i%2 == 1 {
			which += 50
		}
		if name, ok := g.Admit(cards[which]); name != names[which] || !ok {
			b.Fatalf("wrong result\n  card: %d\n  got:  %.40q, %v\n  want: %.40q, true", cards[which], name, ok,
				names[which])
		}
		unknown := 2*(clock+i) + 1
		if name, ok := g.Admit(unknown); name != "" || ok {
			b.Fatalf("wrong result\n  card: %d\n  got:  %.40q, %v\n  want: \"\", false", unknown, name, ok)
		}
	}
}
