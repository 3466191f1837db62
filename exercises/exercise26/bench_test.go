package gate_test

import (
	"testing"

	"onthestack/exercises/exercise26"
)

func BenchmarkParse(b *testing.B) {
	p := gate.NewParser()
	const line = "belt 3: RB000000042 1754g fragile, this side up"
	if _, ok := p.Parse(line); !ok { // what package regexp keeps is there from now on
		b.Fatal("the line is not one of the log")
	}

	for b.Loop() {
		if _, ok := p.Parse(line); !ok {
			b.Fatal("the line is not one of the log")
		}
	}
}
