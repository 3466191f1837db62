package watch

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/viewport"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// The colors are the terminal's own, as in package render, so that they suit its background.
var (
	bold   = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	good   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	picked = lipgloss.NewStyle().Reverse(true)
)

func columns(text string) int { return lipgloss.Width(text) }

// plain is text without color.
func plain(text string) string { return ansi.Strip(text) }

// cut shortens a line to a width.
func cut(line string, width int) string { return ansi.Truncate(line, max(width, 0), "…") }

// pad fills a line up to a width.
func pad(line string, width int) string {
	return line + strings.Repeat(" ", max(0, width-columns(line)))
}

// ends puts one text at the left end of a line and another at its right, which is left out where there is no room for
// both.
func ends(left, right string, width int) string {
	gap := width - columns(left) - columns(right)
	if gap < 1 {
		return cut(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// rule is a line across, with a text near its right end.
func rule(text string, width int) string {
	if text == "" || columns(text)+4 > width {
		return faint.Render(strings.Repeat("─", width))
	}
	return faint.Render(strings.Repeat("─", width-columns(text)-4) + " " + text + " ─")
}

// position says which lines of a text are seen, and whether some are cut; "" where all is seen.
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

// hanging wraps a text behind a lead, and continues it beneath its beginning.
func hanging(lead, text string, width int) string {
	margin := columns(lead)
	wrapped := lipgloss.Wrap(text, max(width-margin-1, 10), " ")
	return lead + strings.ReplaceAll(wrapped, "\n", "\n"+strings.Repeat(" ", margin))
}

// indented sets each line off by two columns.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// untabbed has blanks in the place of tabs, whose width nobody else can tell: what a program printed has some.
func untabbed(text string) string { return strings.ReplaceAll(text, "\t", "    ") }
