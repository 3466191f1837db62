package step

import "testing"

// TestMadeObject tells an object of the picture that stands for several.
func TestMadeObject(t *testing.T) {
	for want, o := range map[string]Object{
		"heap object 5, 8 B, made on line 25":                                       {ID: 5, Count: 1, Bytes: 8, Line: 25},
		"heap object 9, which stands for 2 objects, 32 B together, made on line 25": {ID: 9, Count: 2, Bytes: 32, Line: 25},
		"heap object 9, which stands for 2 objects, made on line 25: they are tiny": {ID: 9, Count: 2, Line: 25,
			Reason: "they are tiny"},
	} {
		if got := (&sentenceWriter{}).madeObject(&o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
