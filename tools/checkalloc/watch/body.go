package watch

import (
	"fmt"
	"strings"

	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// The widths of text in columns: a longer line is hard to read, and a shorter one has no room for source code and its
// line numbers.
const maxWidth, minWidth = 110, 40

// compose lays out the text of body and page for the width.
func (m *model) compose() {
	width := min(max(m.width, minWidth), maxWidth)
	m.body.SetContent(expandTabs(m.verdict(width)))
	if m.mode == reading {
		text := m.text
		if text == "" {
			text = keyList(width)
		} else {
			text = indent(text)
		}
		m.page.SetContent("  " + bold.Render(m.heading) + "\n\n" + expandTabs(strings.TrimRight(text, "\n")))
	}
}

// verdict returns the text that scrolls: what to do next, the hints, the figures and the annotated source.
func (m *model) verdict(width int) string {
	var b strings.Builder
	if m.hints > 0 {
		for i, h := range m.exercise.Hints[:min(m.hints, len(m.exercise.Hints))] {
			fmt.Fprintf(&b, "  %s\n%s\n", bold.Render(fmt.Sprintf("Hint %d of %d", i+1, len(m.exercise.Hints))),
				hanging("  ", strings.TrimSpace(h.Text), width)+"\n")
		}
	}
	switch {
	case m.last == nil:
		file := "exercises/" + m.exercise.ID + "/" + m.exercise.Edit[0]
		b.WriteString(hanging("  ", faint.Render("Edit "+file+": each save is checked."), width) + "\n")
	case m.last.verdict == nil:
		b.WriteString(hanging("  "+bad.Render("could not check")+"  ", printable.Clean(m.last.err.Error()), width) +
			"\n")
	default:
		v := m.last.verdict
		o := terminal.ExerciseOptions(m.exercise, m.last.files, m.workbook.Command, width)
		if v.Pass {
			b.WriteString(m.savings(v, width))
		} else {
			terminal.Step(&b, v, o) // without the command for a hint, for which the view has a key
			b.WriteByte('\n')
		}
		terminal.Body(&b, v, o) // without the heading and the stages, which the view shows itself
	}
	return strings.TrimRight(b.String(), "\n")
}

// savings returns what a solution saves compared with the starter.
func (m *model) savings(v *verdict.Verdict, width int) string {
	e := m.exercise
	if e.Figures == nil {
		return ""
	}
	var b strings.Builder
	for _, now := range v.Benchmarks {
		for _, was := range e.Figures.Starter {
			if was.Name == now.Name {
				b.WriteString(hanging("  "+now.Name+"   ", terminal.Savings(was, now)+" since the starter", width) +
					"\n")
			}
		}
	}
	fmt.Fprintf(&b, "  Chapter: book/%s\n  Compare with the solution: %s\n\n", e.Chapter, bold.Render("d"))
	return b.String()
}
