package build

import "testing"

// TestHidePaths proves that the first of several pairs counts, and that an empty path is not one.
func TestHidePaths(t *testing.T) {
	for _, c := range []struct {
		output string
		pairs  []string
		want   string
	}{
		{"/w/m/x.go:1: /w/tmp", []string{"/w/m/", "", "/w", "$WORK"}, "x.go:1: $WORK/tmp"},
		{"/w/m/x.go:1", []string{"/w", "$WORK", "/w/m/", ""}, "$WORK/m/x.go:1"},
		{"/w/x.go", []string{"", "$GOROOT", "/w/", ""}, "x.go"},
		{"/w/x.go", []string{"", "$GOROOT"}, "/w/x.go"},
		{"", []string{"/w", ""}, ""},
	} {
		if got := string(HidePaths([]byte(c.output), c.pairs...)); got != c.want {
			t.Errorf("%q with %q becomes %q, want %q", c.output, c.pairs, got, c.want)
		}
	}
}
