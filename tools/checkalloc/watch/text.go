package watch

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/viewport"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/present"
)

// Short names of the styles of package present, and the style of a chosen line.
var (
	bold, faint = present.Bold, present.Faint
	good, bad   = present.Good, present.Bad
	picked      = lipgloss.NewStyle().Reverse(true)
)

// plain returns text without color.
func plain(text string) string { return ansi.Strip(text) }

// truncate shortens a line to a width.
func truncate(line string, width int) string { return ansi.Truncate(line, max(width, 0), "…") }

// pad fills a line up to a width.
func pad(line string, width int) string {
	return line + strings.Repeat(" ", max(0, width-lipgloss.Width(line)))
}

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
	wrapped := lipgloss.Wrap(text, max(width-margin-1, 10), " ")
	return lead + strings.ReplaceAll(wrapped, "\n", "\n"+strings.Repeat(" ", margin))
}

// indent indents each line by two columns.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// expandTabs replaces tabs by four blanks, because the width of a tab depends on the terminal. The output of programs
// has tabs.
func expandTabs(text string) string { return strings.ReplaceAll(text, "\t", "    ") }
