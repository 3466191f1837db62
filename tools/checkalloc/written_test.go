package main

import "testing"

// TestMeasured: the command that a page shows measures the same again, pasted into a shell.
func TestMeasured(t *testing.T) {
	for _, test := range []struct {
		explaining explaining
		want       string
	}{
		{explaining{bench: ".", count: 1}, ""},
		{explaining{bench: "Decode/large", count: 5, tags: "a,b"}, " -bench Decode/large -count 5 -tags a,b"},
		{explaining{bench: "^(A|B)$", count: 1}, " -bench '^(A|B)$'"},
		{explaining{bench: "it's", count: 1}, ` -bench 'it'\''s'`},
		{explaining{count: 1}, " -bench ''"},
	} {
		c := command{explaining: test.explaining}
		if got := c.measured(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.explaining, got, test.want)
		}
	}
}
