package suggest

import (
	"slices"
	"testing"
)

// TestChanges compares the changes of texts, among them lines that look like parts of a diff.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []Change
	}{
		"none":          {"a\nb\n", "a\nb\n", nil},
		"replaced":      {"a\nb\nc\n", "a\nx\ny\nc\n", []Change{{"f.go", 2, 3, "x\ny\n"}}},
		"inserted":      {"a\nb\n", "a\nx\nb\n", []Change{{"f.go", 2, 2, "x\n"}}},
		"in front":      {"a\n", "x\na\n", []Change{{"f.go", 1, 1, "x\n"}}},
		"all of it new": {"", "x\n", []Change{{"f.go", 1, 1, "x\n"}}},
		"deleted":       {"a\nb\nc\n", "a\nc\n", []Change{{"f.go", 2, 3, ""}}},
		"two places":    {"a\nb\nc\n", "x\nb\ny\n", []Change{{"f.go", 1, 2, "x\n"}, {"f.go", 3, 4, "y\n"}}},
		"SQL comments":  {"a\n-- b\nc\n", "a\n++ b\nc\n", []Change{{"f.go", 2, 3, "++ b\n"}}},
		"a hunk's line": {"a\n@@ -1,2 +3 @@\nc\n", "a\nc\n", []Change{{"f.go", 2, 3, ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Changes("f.go", []byte(c.old), []byte(c.new)); !slices.Equal(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
