package gate_test

import (
	"testing"

	"onthestack/exercises/exercise23"
)

// BenchmarkAdmit shows two cards, one of which nobody has, while Debug is false.
func BenchmarkAdmit(b *testing.B) {
	g := gate.Gate{Names: map[int]string{4788: "Ada"}}
	for range 256 {
		g.Admit(4788) // numbers of less than 256 need no box
	}
	for b.Loop() {
		g.Admit(4788)
		g.Admit(4789)
	}
}
