package command

import (
	"bytes"
	"encoding/json"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestEncode proves that encode writes what encoding/json does.
func TestEncode(t *testing.T) {
	v := &verdict.Verdict{
		Schema: verdict.Schema, Package: "m", Title: `"escapes":[`,
		Errors: []verdict.Problem{{Message: "\"escapes\":[]\n<&>\xff"}},
		Tests:  verdict.Tests{Output: `},"escapes":[{`},
	}
	for _, v.Escapes = range [][]escape.Diagnostic{{}, {{File: "a.go", Line: 1, Message: `"escapes":[`}},
		{{File: "a.go"}, {File: "b.go", Flow: []escape.Step{{Text: "x"}}}}} {
		var got, want bytes.Buffer
		if err := encode(&got, v); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&want).Encode(v); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got %s, want %s", got.String(), want.String())
		}
	}
}

// TestDiffers: an estimate that changes is no difference, as long as the bytes are the same.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		was, is cost
		want    bool
	}{
		{cost{allocs: 2, bytes: 32}, cost{allocs: 2, bytes: 32}, false},
		{cost{allocs: 2, bytes: 32}, cost{allocs: 3, bytes: 32}, true},
		{cost{allocs: 2, bytes: 32}, cost{allocs: 2, bytes: 48}, true},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 72, shared: true}, false},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 72}, false},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 56, shared: true}, true},
		{cost{}, cost{allocs: 1, bytes: 8, shared: true}, true},
	} {
		if got := c.is.differs(c.was); got != c.want {
			t.Errorf("%+v → %+v: %v, want %v", c.was, c.is, got, c.want)
		}
	}
}
