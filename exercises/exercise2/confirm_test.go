package gate_test

import (
	"testing"

	"onthestack/exercises/exercise2"
)

// BenchmarkAdmitConfirmCards shows cards of all numbers, some of which nobody has, and whose
// owners have names of all lengths. Debug is false, and there is no output.
func BenchmarkAdmitConfirmCards(b *testing.B) {
	r := newRand(b)
	g := gate.Gate{Names: map[int]string{}}
	cards := make([]int, 1009)
	for i := range cards {
		cards[i] = int(r.Uint64()) >> r.IntN(64)
		if r.IntN(3) > 0 {
			g.Names[cards[i]] = newName(r, newSize(r, 1<<12))
		}
	}
	i := 0
	for b.Loop() {
		card := cards[i%len(cards)]
		want, wantOK := g.Names[card]
		if name, ok := g.Admit(card); name != want || ok != wantOK {
			b.Fatalf("wrong answer\n  card: %d\n  got:  %q, %v\n  want: %q, %v", card, name, ok, want, wantOK)
		}
		i++
	}
}

// BenchmarkAdmitConfirmSwitched begins with cards that are shown while Debug is true.
func BenchmarkAdmitConfirmSwitched(b *testing.B) {
	r := newRand(b)
	g := newGuard(map[int]string{88: "Ada", 4788: newName(r, 200)})
	for i := range newSize(r, 1000) {
		g.admit(b, 88+i%2*4700, true)
	}
	g.gate.Log.Debug = false
	i := 0
	for b.Loop() {
		card := 88 + i%3*2350
		want, wantOK := g.gate.Names[card]
		if name, ok := g.gate.Admit(card); name != want || ok != wantOK {
			b.Fatalf("wrong answer\n  card: %d\n  got:  %q, %v\n  want: %q, %v", card, name, ok, want, wantOK)
		}
		i++
	}
}
