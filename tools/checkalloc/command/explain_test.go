package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestEncode proves that encode writes what encoding/json does, apart from the order of the fields.
func TestEncode(t *testing.T) {
	v := &verdict.Verdict{
		Schema: verdict.Schema, Package: "m", Title: `"escapes":[`,
		Errors: []verdict.Problem{{Message: "\"escapes\":[]\n<&>\xff"}},
		Tests:  verdict.Tests{Output: `},"escapes":[{`},
	}
	for _, v.Escapes = range [][]escape.Diagnostic{{}, {{File: "a.go", Line: 1, Message: `"escapes":[`}},
		{{File: "a.go"}, {File: "b.go", Flow: []escape.Step{{Text: "x"}}}}} {
		var got bytes.Buffer
		if err := encode(&got, v); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var gotFields, wantFields map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(got.Bytes(), &gotFields), json.Unmarshal(want, &wantFields)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(gotFields, wantFields) || got.Len() != len(want)+1 || !strings.HasSuffix(got.String(),
			"]}\n") {
			t.Errorf("got %s, want %s", got.String(), want)
		}
	}
}
