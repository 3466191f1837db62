package command

import "testing"

// TestMeasured proves that the command that a page shows measures the same when it is pasted into a shell.
func TestMeasured(t *testing.T) {
	for _, test := range []struct {
		flags measureFlags
		want  string
	}{
		{measureFlags{bench: ".", count: 1}, ""},
		{measureFlags{bench: "Decode/large", count: 5, buildFlags: buildFlags{tags: "a,b"}},
			" --bench Decode/large --count 5 --tags a,b"},
		{measureFlags{bench: "^(A|B)$", count: 1}, " --bench '^(A|B)$'"},
		{measureFlags{bench: "it's", count: 1}, ` --bench 'it'\''s'`},
		{measureFlags{count: 1}, " --bench ''"},
	} {
		c := explainCall{measureFlags: test.flags}
		if got := c.measured(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.flags, got, test.want)
		}
	}
}
