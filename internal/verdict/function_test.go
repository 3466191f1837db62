package verdict_test

import (
	"testing"

	"onthestack/internal/verdict"
)

func TestOutermost(t *testing.T) {
	for name, want := range map[string]string{
		"Replace": "Replace", "Replace.func1": "Replace", "Replace.func1.2": "Replace", "Replace.func1.func1": "Replace",
		"Replace-range1": "Replace", "Replace-range1.func2": "Replace", "Replace.func1-range2": "Replace",
		"Replace.gowrap1": "Replace", "Replace.deferwrap1": "Replace",
		"(*T[...]).Read": "(*T[...]).Read", "(*T[...]).Read-fm": "(*T[...]).Read", "Map[...].func1": "Map[...]", "": "",
	} {
		if got := verdict.Outermost(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
