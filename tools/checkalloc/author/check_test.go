package author

import (
	"slices"
	"testing"

	"onthestack/internal/build"
)

// TestReleases proves which releases of Go exercises are checked on.
func TestReleases(t *testing.T) {
	ends, err := build.Ends(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := ends[len(ends)-1]
	for _, c := range []struct{ named, want []string }{
		{nil, ends},
		{[]string{"go1.26.8"}, []string{"go1.26.8"}},
		{[]string{newest}, []string{last}},
		{[]string{"go1.26.8", newest}, []string{"go1.26.8", last}},
	} {
		a := Author{Releases: c.named}
		if got, err := a.releases(t.Context()); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.named, got, err, c.want)
		}
	}
}
