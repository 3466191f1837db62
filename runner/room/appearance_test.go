package room

import "testing"

func TestAppearance(t *testing.T) {
	for _, same := range [][2]string{{"Ada", "ada"}, {"Ada", "Ada\u200d"}, {"Ada", "A\ufe0fda"}, {"Ada", "Ad\u034fa"},
		{"Zoë", "Zoe\u0308"}, {"Ada", "Ａｄａ"}, {"ada@example.edu", "Ada@Example.edu\U000e0100"}, {"👩\u200d💻", "👩💻"}} {
		if appearance(same[0]) != appearance(same[1]) {
			t.Errorf("%q and %q look the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"Ada", "Adä"}, {"Ada", "Ada (2)"}, {"עדה", "עדי"}, {"4711", "4712"}} {
		if appearance(other[0]) == appearance(other[1]) {
			t.Errorf("%q and %q look different", other[0], other[1])
		}
	}
}
