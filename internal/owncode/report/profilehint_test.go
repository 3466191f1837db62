package report

import "testing"

// TestProfileHint tests the figures with and without a unit, exact ones, and what is in use.
func TestProfileHint(t *testing.T) {
	r := sampled()
	if got, want := ProfileHint(r, r.Lines[0]), "18.97 allocs/request ± 4 %, 4000 B ± 5 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Per = nil
	if got, want := ProfileHint(r, r.Lines[0]), "40 % of the bytes, 18.97 allocs ± 4 %, 4000 B ± 5 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Measure = "in use"
	one := r.Lines[2]
	one.ObjectsMargin, one.BytesMargin = 0, 0
	if got, want := ProfileHint(r, one), "10 % of the bytes, 1 object, 1000 B in use"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
