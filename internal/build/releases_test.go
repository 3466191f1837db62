package build

import (
	"go/version"
	"slices"
	"testing"
)

// TestReleases asks the module proxy, as "checkalloc dev check" does.
func TestReleases(t *testing.T) {
	releases, err := Releases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(releases, version.Compare) {
		t.Errorf("not in order: %v", releases)
	}
	for _, want := range []string{"go1.4.3", "go1.8.7", "go1.15.15", "go1.20.14"} {
		if !slices.Contains(releases, want) {
			t.Errorf("%s is missing in %v", want, releases)
		}
	}
	ends, err := Ends(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(ends) == 0 || version.Lang(ends[0]) != Oldest || ends[len(ends)-1] != releases[len(releases)-1] {
		t.Errorf("ends %v of %v", ends, releases)
	}
}
