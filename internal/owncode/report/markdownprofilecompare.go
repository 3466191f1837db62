package report

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/owncode/heapdiff"
	"onthestack/internal/present"
)

// ProfileComparisonMarkdown writes what changed between two heap profiles as a table for a pull request, with the
// unchanged lines too if all are wanted. Text from sources, names and profiles is never read as markup. An error is w's.
func ProfileComparisonMarkdown(w io.Writer, c *heapdiff.Comparison, all bool) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "### Allocations of %s\n\n%s → %s: %s\n\n%s\n\n", code(c.Module, 2*maxCode), code(c.Old.Label, maxCode),
		code(c.New.Label, maxCode), prose(c.Summary()), prose(wholeChange(c)))
	lines := c.Lines
	if all {
		lines = append(lines[:len(lines):len(lines)], c.Same...)
	}
	if len(lines) > 0 {
		fmt.Fprint(b, "| change | line | figures | why |\n|---|---|---|---|\n")
	}
	const reserve = 16_000 // bytes for the end of the comment
	for i, l := range lines {
		row := changeRow(c, l)
		if i == maxRows || b.Len()+len(row) > MaxBytes-reserve {
			fmt.Fprintf(b, "| … %s | | | |\n", present.Plural(len(lines)-i, "more line"))
			break
		}
		b.WriteString(row)
	}
	if len(lines) > 0 {
		fmt.Fprintln(b)
	}
	for _, o := range c.Outside[:min(len(c.Outside), maxOutside)] {
		fmt.Fprintf(b, "%s\n\n", prose(inline(outsideChange(c, o), 2*maxWhy)))
	}
	for _, text := range c.Notes[:min(len(c.Notes), maxNotes)] {
		fmt.Fprintf(b, "- %s\n", prose(inline(text, 2*maxWhy)))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comment on the profiles: %w", err)
	}
	return nil
}

// maxNotes is how many notes are in a comment.
const maxNotes = 10

// changeRow returns the row of a line.
func changeRow(c *heapdiff.Comparison, l heapdiff.Line) string {
	changed := l.Compared()
	place := CommentOptions{}.placesCell(changed)
	if wholeFunction(changed) {
		place = code(changed.Place().File, maxCode) + " the whole of " + code(functionName(changed.Place().Func), maxName)
	}
	kind := l.Kind
	if kind == "" {
		kind = "as before"
	}
	var why []string
	for _, text := range changedReasons(changed) {
		why = append(why, prose(inline(text, maxWhy)))
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", kind, place, prose(lineChange(c, l)), strings.Join(why, "<br>"))
}
