package gate_test

import (
	"testing"

	"onthestack/exercises/exercise2"
)

// BenchmarkAdmit shows three cards, one of which nobody has, while Debug is false.
func BenchmarkAdmit(b *testing.B) {
	g := gate.Gate{Names: map[int]string{1815: "Ada", 1906: "Grace"}}
	for range 256 {
		g.Admit(1815) // numbers of less than 256 need no box
	}
	for b.Loop() {
		g.Admit(1815)
		g.Admit(1906)
		g.Admit(4788)
	}
}
