package report

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/owncode/suggest"
)

// SuggestionsMarkdown writes the suggestions for a package as a comment, each with its figures, its tests and its diff.
// It says how many suggestions no longer fit. An error is w's.
func SuggestionsMarkdown(w io.Writer, r *suggest.Result, rejected bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s\n\n", plain(r.Package), plain(SuggestionCount(r, true)))
	left := 0
	for _, s := range r.Suggestions {
		text := suggestionText(&s)
		if b.Len()+len(text) > MaxBytes-minBytes {
			left++
			continue
		}
		b.WriteString(text)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%d more are not shown.\n\n", left)
	}
	if rejected && len(r.Rejected) > 0 {
		b.WriteString("<details><summary>Tried and rejected</summary>\n\n")
		for _, s := range r.Rejected {
			if line := fmt.Sprintf("- %s: %s\n", plain(s.Title), plain(s.Why)); b.Len()+len(line) < MaxBytes-100 {
				b.WriteString(line)
			}
		}
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func suggestionText(s *suggest.Suggestion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %d. %s (%s)\n\n%s\n\n", s.ID, plain(s.Title), s.Outcome, plain(s.Message))
	for _, f := range s.Benchmarks {
		fmt.Fprintf(&b, "- %s: %s\n", code(f.Name), plain(SavingText(f)))
	}
	for _, l := range s.Lines {
		fmt.Fprintf(&b, "- %s: %s\n", code(fmt.Sprintf("%s:%d", l.File, l.Line)), plain(l.Why))
	}
	fmt.Fprintf(&b, "- %s\n", plain(TestsText(s)))
	if s.Assumes != "" {
		fmt.Fprintf(&b, "- Assumes: %s\n", plain(s.Assumes))
	}
	fmt.Fprintf(&b, "- %s\n\n", code("book/"+s.Page+".md"))
	b.WriteString(block("diff", strings.TrimRight(s.Diff, "\n")))
	return b.String()
}
