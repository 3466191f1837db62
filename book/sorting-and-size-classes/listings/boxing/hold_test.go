package boxing

import "testing"

func TestHeld(t *testing.T) {
	n, s, l := 7, "wren", []string{"wren"}
	for _, test := range []struct {
		name string
		hold func()
		ok   func() bool
	}{
		{"a pointer is held as it is", func() { Pointer(&n) }, func() bool { return held == &n }},
		{"a number", func() { Number(n) }, func() bool { return held == 7 }},
		{"a constant", Constant, func() bool { return held == 1000 }},
		{"a string", func() { Text(s) }, func() bool { return held == "wren" }},
		{"a slice, the same array", func() { List(l) }, func() bool { return &held.([]string)[0] == &l[0] }},
	} {
		if test.hold(); !test.ok() {
			t.Errorf("%s: held is %v", test.name, held)
		}
	}
}
