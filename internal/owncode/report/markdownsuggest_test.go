package report

import (
	"strings"
	"testing"
)

// TestSuggestionsMarkdown: text of the package is no markup, a diff ends only where its block does, and a comment that would be
// too long is cut between suggestions.
func TestSuggestionsMarkdown(t *testing.T) {
	r := suggestions(t)
	var b strings.Builder
	if err := SuggestionsMarkdown(&b, r, true); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"### 1. give a slice or a map its capacity (proven)\n", "\n````diff\n",
		"TestA, TestB, TestC and 1 more",
		"Assumes: The Writer keeps nothing", "Tried and rejected", "the tests fail",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, bad := range []string{"<b>", "*for*", "[x](y)"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is markup in\n%s", bad, text)
		}
	}
	one := r.Suggestions[0]
	for range 1000 {
		r.Suggestions = append(r.Suggestions, one)
	}
	b.Reset()
	if err := SuggestionsMarkdown(&b, r, true); err != nil {
		t.Fatal(err)
	}
	if b.Len() > MaxBytes || !strings.Contains(b.String(), "more are not shown.") {
		t.Errorf("%d bytes", b.Len())
	}
}
