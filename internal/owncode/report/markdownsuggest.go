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
	fmt.Fprintf(&b, "**%s**: %s\n\n", prose(r.Package), prose(suggestionCount(r, true)))
	left := 0
	for _, s := range r.Suggestions {
		text := suggestionText(&s)
		if b.Len()+len(text) > MaxBytes-4000 {
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
			if line := fmt.Sprintf("- %s: %s\n", prose(s.Title), prose(s.Why)); b.Len()+len(line) < MaxBytes-100 {
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
	fmt.Fprintf(&b, "### %d. %s (%s)\n\n%s\n\n", s.ID, prose(s.Title), s.Outcome, prose(s.Message))
	for _, f := range s.Benchmarks {
		fmt.Fprintf(&b, "- %s: %s\n", code(f.Name, maxCode), prose(savingText(f)))
	}
	for _, l := range s.Lines {
		fmt.Fprintf(&b, "- %s: %s\n", code(position(l.File, l.Line), maxCode), prose(l.Why))
	}
	fmt.Fprintf(&b, "- %s\n", prose(testsText(s)))
	if s.Assumes != "" {
		fmt.Fprintf(&b, "- Assumes: %s\n", prose(s.Assumes))
	}
	fmt.Fprintf(&b, "- %s\n\n", code("book/"+s.Page+".md", maxCode))
	b.WriteString(block("diff", strings.TrimRight(s.Diff, "\n")))
	return b.String()
}
