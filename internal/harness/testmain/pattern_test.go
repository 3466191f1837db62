package testmain

import (
	"regexp"
	"testing"
)

func TestPattern(t *testing.T) {
	const full, partial, none = "full", "partial", "none"
	for _, test := range []struct{ pattern, name, want string }{
		{".", "BenchmarkX", full},
		{"", "BenchmarkX/y", full},
		{"X", "BenchmarkX/y/z", full},
		{"X$", "BenchmarkXY", none},
		{"X/y", "BenchmarkX", partial},
		{"X/y", "BenchmarkX/y", full},
		{"X/y", "BenchmarkX/z", none},
		{"X/y", "BenchmarkX/y/z", full},
		{"X//z", "BenchmarkX/y", partial},
		{"X//z", "BenchmarkX/y/z", full},
		{"A|X", "BenchmarkX", full},
		{"A/b|X/y", "BenchmarkX", partial},
		{"A/b|X/y", "BenchmarkA/b", full},
		{"A/b|X/y", "BenchmarkA/y", none},
		{"(A|X)/y", "BenchmarkX/y", full},
		{"(A/|X/)y", "BenchmarkX", none},
		{"[X/|]$", "BenchmarkX", full},
		{"[]/]", "BenchmarkX", none},
		{`X/a\/b`, "BenchmarkX/a", none},
		{`\|`, "BenchmarkX", none},
		{`X\`, "BenchmarkX", none},
		{"(", "BenchmarkX", none},
	} {
		p := newPattern(test.pattern)
		p.match = regexp.MatchString
		got := none
		switch f, part := p.selects(test.name); {
		case f:
			got = full
		case part:
			got = partial
		}
		if got != test.want {
			t.Errorf("%q selects %s: %s, want %s", test.pattern, test.name, got, test.want)
		}
	}
}
