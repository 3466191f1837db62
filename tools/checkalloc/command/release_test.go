package command

import "testing"

// TestFixedIn tests which releases of Go the overview warns of.
func TestFixedIn(t *testing.T) {
	for release, want := range map[string]string{
		"go1.25.14": "", "go1.26.0": "go1.26.9", "go1.26.8": "go1.26.9", "go1.26.9": "", "go1.26.11": "",
		"go1.27.1": "go1.27.2", "go1.27.2": "", "go1.28.0": "", "devel": "",
	} {
		if got := fixedIn(release); got != want {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}
