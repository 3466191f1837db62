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
