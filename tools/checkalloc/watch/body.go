package watch

import (
	"fmt"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/render"
	"onthestack/internal/verdict"
)

// Text is not laid out wider than a line is read with ease, nor narrower than the marks of a source line take.
const widest, narrowest = 110, 40

// compose lays out the text of body and page for the width.
func (m *model) compose() {
	width := min(max(m.width, narrowest), widest)
	m.body.SetContent(untabbed(m.verdict(width)))
	if m.mode == reading {
		text := m.text
		if text == "" {
			text = keyList(width)
		} else {
			text = indented(text)
		}
		m.page.SetContent("  " + bold.Render(m.heading) + "\n\n" + untabbed(strings.TrimRight(text, "\n")))
	}
}

// verdict is the text that scrolls: what to do next, the hints, the figures and the annotated source.
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
		b.WriteString(hanging("  ", faint.Render("Edit exercises/"+m.exercise.ID+"/"+m.exercise.Edit[0]+": each save is checked."), width) + "\n")
	case m.last.verdict == nil:
		b.WriteString(hanging("  "+bad.Render("could not check")+"  ", printable.Clean(m.last.err.Error()), width) + "\n")
	default:
		v := m.last.verdict
		o := m.workbook.Options(m.exercise, m.last.files, width)
		if v.Pass {
			b.WriteString(m.saved(v, width))
		} else {
			render.Step(&b, v, o) // the view has a key for the hint
			b.WriteByte('\n')
		}
		render.Body(&b, v, o) // and its own head and stages
	}
	return strings.TrimRight(b.String(), "\n")
}

// saved says what a solution saves against the starter.
func (m *model) saved(v *verdict.Verdict, width int) string {
	e := m.exercise
	if e.Figures == nil {
		return ""
	}
	var b strings.Builder
	for _, now := range v.Benchmarks {
		for _, was := range e.Figures.Starter {
			if was.Name == now.Name {
				b.WriteString(hanging("  "+now.Name+"   ", fmt.Sprintf("%s → %s allocs/op, %s → %s B/op since the starter",
					verdict.FormatCount(was.AllocsPerOp), verdict.FormatCount(now.AllocsPerOp),
					verdict.FormatBytes(was.BytesPerOp), verdict.FormatBytes(now.BytesPerOp)), width) + "\n")
			}
		}
	}
	fmt.Fprintf(&b, "  Chapter: book/%s\n  Compare with the solution: %s\n\n", e.Chapter, bold.Render("d"))
	return b.String()
}
