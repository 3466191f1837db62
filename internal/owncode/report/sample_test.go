package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"onthestack/internal/owncode/suggest"
)

// suggestions returns a result with a suggestion of each outcome, whose text tries to be markup.
func suggestions(t *testing.T) *suggest.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "suggestions.json"))
	if err != nil {
		t.Fatal(err)
	}
	r := new(suggest.Result)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}
