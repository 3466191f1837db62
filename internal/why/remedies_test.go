package why

import (
	"slices"
	"testing"

	"onthestack/internal/exercise"
)

func TestRemedies(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		techniques []string
		want       string
	}{
		{AppendGrew, []string{"growth"}, "make the slice with the capacity that it will need."},
		{AppendGrew, nil, "make the slice with the capacity that it will need, or use the slice again for the next " +
			"operation."},
		{AppendGrew, []string{"pool"}, ""},
		{DeferInLoop, []string{"growth"}, ""},
		{TypeCache, nil, ""},
		{"", nil, ""},
	} {
		if got := c.kind.Remedies(c.techniques); got != c.want {
			t.Errorf("%s, %v: got %q, want %q", c.kind, c.techniques, got, c.want)
		}
	}
	known := func(list []remedy) {
		for _, r := range list {
			if r.technique != "" && !slices.ContainsFunc(exercise.Techniques, func(t exercise.Term) bool {
				return t.ID == r.technique
			}) {
				t.Errorf("%q: exercises know no technique %q", r.do, r.technique)
			}
		}
	}
	for kind, list := range remedies {
		if !slices.Contains(Kinds(), kind) {
			t.Errorf("remedies of %q, which is no kind", kind)
		}
		known(list)
	}
	for _, c := range calleeRemedies {
		known(c.remedies)
	}
}
