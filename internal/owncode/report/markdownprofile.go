package report

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/why"
)

// ProfileMarkdown writes which lines of a module allocate in a heap profile as a comment in GitHub Flavored Markdown: a
// table of the lines, and below it the steps of their values to the heap. Text from sources, names and the profile is
// never read as markup. At most top lines are shown, also those with few samples; 0 is for all others. An error is w's.
func ProfileMarkdown(w io.Writer, r *heapprofile.Report, top int) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "**checkalloc** %s: %s\n\n", code(r.Module, 2*maxCode), prose(profileSummary(r)+profileCollections(r)))
	for _, text := range r.Notes {
		fmt.Fprintf(b, "> %s\n>\n", prose(text))
	}
	if len(r.Notes) > 0 {
		b.WriteString("\n")
	}
	shown, less := profileLines(r, top)
	const reserve = 2000 // bytes for the end of the comment
	if len(shown) > 0 {
		b.WriteString("| line | code | figures | why |\n| :-- | :-- | :-- | :-- |\n")
	}
	for i, l := range shown {
		row := fmt.Sprintf("| %s %s | %s | %s | %s |\n", code(fmt.Sprintf("%s:%d", l.File, l.Line), maxCode),
			code(why.Outermost(l.Func), maxName), code(l.Code, maxCode), prose(profileFigure(r, l)),
			prose(inline(profileReason(r, l), maxWhy)))
		if b.Len()+len(row) > MaxBytes-reserve {
			less = append(less, shown[i:]...)
			shown = shown[:i]
			break
		}
		b.WriteString(row)
	}
	if len(shown) > 0 {
		b.WriteString("\n")
	}
	for _, text := range profileRest(r, less) {
		fmt.Fprintf(b, "%s\n\n", prose(text))
	}
	if n, ok := nextOf(r, shown, "checkalloc"); ok {
		b.WriteString(n.markdown())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comment on the profile: %w", err)
	}
	return nil
}

// profileReason returns the reason of a line, with the functions that it calls for it.
func profileReason(r *heapprofile.Report, l heapprofile.Line) string {
	reason := profileWhy(l)
	if chain := profileChain(r, l); chain != "" {
		reason += " (calls " + chain + ")"
	}
	return reason
}
