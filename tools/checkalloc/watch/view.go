package watch

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/present"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// The widths of text in columns: a longer line is hard to read, and a shorter one has no room for source code and its
// line numbers.
const maxWidth, minWidth = 110, 40

// layOut lays out the texts that scroll, and gives them the lines that the frame leaves.
func (m *model) layOut() {
	width := min(max(m.width, minWidth), maxWidth)
	m.body.SetContent(expandTabs(m.verdict(width)))
	switch m.mode {
	case listing:
		m.page.SetContent(m.exerciseList())
	case reading:
		const margin = "  "
		text := margin + strings.ReplaceAll(m.text(width-2*len(margin)), "\n", "\n"+margin)
		m.page.SetContent("  " + bold.Render(m.heading) + "\n\n" + expandTabs(strings.TrimRight(text, " \n")))
	}
	f := m.frame()
	room := m.height - 1 - len(f.message) // the line of stages is always shown
	for _, line := range []bool{f.title, f.rules, f.rules, f.footer} {
		if line {
			room--
		}
	}
	for _, v := range []*viewport.Model{&m.body, &m.page} {
		v.SetWidth(m.width)
		v.SetHeight(max(room, 0))
		v.SetYOffset(v.YOffset()) // clamps it to the new height
	}
	if m.mode == listing {
		m.page.EnsureVisible(m.selected, 0, 0)
	}
}

// verdict returns the text that scrolls: the hints, the newest first, then what to do next, the figures and the
// annotated source.
func (m *model) verdict(width int) string {
	var b strings.Builder
	for i, h := range slices.Backward(m.exercise.Hints[:min(m.hints, len(m.exercise.Hints))]) {
		fmt.Fprintf(&b, "  %s\n%s\n\n", bold.Render(fmt.Sprintf("Hint %d of %d", i+1, len(m.exercise.Hints))),
			hanging("  ", present.Prose(strings.TrimSpace(h.Text)), width))
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
	var b strings.Builder
	for _, now := range v.Benchmarks {
		if was, ok := m.exercise.StarterFigure(now.Name); ok {
			b.WriteString(hanging("  "+now.Name+"   ", terminal.Savings(was, now)+" since the starter", width) + "\n")
		}
	}
	fmt.Fprintf(&b, "  Chapter: book/%s\n  Compare with the solution: %s\n\n", m.exercise.Chapter, bold.Render("d"))
	return b.String()
}

// A frame says which lines the screen shows around the text that scrolls, depending on its height.
type frame struct {
	title, rules, footer bool
	message              []string
}

func (m *model) frame() frame {
	h := m.height
	f := frame{title: h >= 5, rules: h >= 12, footer: h >= 4}
	most := 0 // lines of the message, at most
	switch {
	case h >= 16:
		most = 3
	case h >= 12:
		most = 2
	case h >= 7, h >= 2 && (m.mode == confirming || m.notice != ""):
		most = 1
	}
	if most > 0 {
		f.message = m.status(most)
	}
	return f
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	return v
}

// screen returns the whole screen, at most width columns and height lines.
func (m *model) screen() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	f, shown := m.frame(), &m.body
	if m.mode == listing || m.mode == reading {
		shown = &m.page
	}
	var lines []string
	if f.title {
		lines = append(lines, m.title())
	}
	lines = append(lines, m.progress())
	lines = append(lines, f.message...)
	if f.rules {
		lines = append(lines, rule("", m.width))
	}
	if shown.Height() > 0 {
		lines = append(lines, strings.Split(shown.View(), "\n")...)
	}
	if f.rules {
		lines = append(lines, rule(position(shown), m.width))
	}
	if f.footer {
		lines = append(lines, truncate(" "+m.keys(), m.width))
	}
	return strings.Join(lines, "\n")
}

// keys returns the footer.
func (m *model) keys() string {
	switch m.mode {
	case confirming:
		return shortcut("y", "reset") + "  " + shortcut("n", "leave it")
	case listing:
		return shortcut("↑↓", "move") + "  " + shortcut("enter", "pick") + "  " + shortcut("esc", "back")
	case reading:
		return shortcut("↑↓", "scroll") + "  " + shortcut("esc", "back")
	}
	return footer(m.width - 2)
}

// Short names of the styles of package present, and the style of a chosen line.
var (
	bold, faint = present.Bold, present.Faint
	good, bad   = present.Good, present.Bad
	picked      = lipgloss.NewStyle().Reverse(true)
)

// truncate shortens a line to a width.
func truncate(line string, width int) string { return ansi.Truncate(line, max(width, 0), "…") }

// justify returns a line with one text at its left end and another at its right. The right one is left out if there is
// no room for both.
func justify(left, right string, width int) string {
	gap := width - lipgloss.Width(left) - lipgloss.Width(right)
	if gap < 1 {
		return truncate(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// rule returns a horizontal line with a text near its right end.
func rule(text string, width int) string {
	if text == "" || lipgloss.Width(text)+4 > width {
		return faint.Render(strings.Repeat("─", width))
	}
	return faint.Render(strings.Repeat("─", width-lipgloss.Width(text)-4) + " " + text + " ─")
}

// position says which lines of a text are visible, and whether long lines are cut. It is "" if all is visible.
func position(v *viewport.Model) string {
	var parts []string
	if v.XOffset() > 0 || v.HorizontalScrollPercent() < 1 {
		parts = append(parts, "long lines: ← →")
	}
	if !v.AtTop() || !v.AtBottom() {
		last := min(v.YOffset()+v.Height(), v.TotalLineCount())
		parts = append(parts, fmt.Sprintf("%d–%d of %d", v.YOffset()+1, last, v.TotalLineCount()))
	}
	return strings.Join(parts, " · ")
}

// hanging wraps a text behind a lead, with a hanging indent.
func hanging(lead, text string, width int) string {
	margin := lipgloss.Width(lead)
	wrapped := present.Wrap(text, max(width-margin-1, 10))
	return lead + strings.ReplaceAll(wrapped, "\n", "\n"+strings.Repeat(" ", margin))
}

// expandTabs replaces tabs by four blanks, because the width of a tab depends on the terminal. The output of programs
// has tabs.
func expandTabs(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

// exerciseList returns the lines of the list to choose from, one for each exercise.
func (m *model) exerciseList() string {
	table := app.NewTable(m.workbook.Catalog)
	var lines []string
	for i, e := range m.workbook.Catalog {
		mark := " "
		switch s := m.states[i]; {
		case s.Passed != nil:
			mark = good.Render("✓")
		case len(s.Last) > 0:
			mark = "·"
		}
		name, targets := table.Row(e)
		if i == m.selected {
			// The whole line has one style, without colors inside it. The mark is for readers who see neither color nor
			// reverse video.
			line := "›" + ansi.Strip(mark) + " " + name + targets
			lines = append(lines, picked.Render(lipgloss.PlaceHorizontal(m.width, lipgloss.Left, truncate(line, m.width))))
		} else {
			lines = append(lines, truncate(" "+mark+" "+name+faint.Render(targets), m.width))
		}
	}
	return strings.Join(lines, "\n")
}
