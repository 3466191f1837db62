package present

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/printable"
)

// The styles that all texts for a terminal share. The colors are the terminal's own, so that they suit its background.
// Text to be read has the default color, because a terminal's yellow is hardly legible on white; the other colors are for
// marks and short words.
var (
	Bold  = lipgloss.NewStyle().Bold(true)
	Faint = lipgloss.NewStyle().Faint(true)
	Good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Warm  = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	Heap  = Bold // clauses about the heap
)

// NoteMargin is the column at which the note below an allocating line begins.
const NoteMargin = 9

// Number writes a line number before a line of source.
func Number(n int) string { return fmt.Sprintf("%6d", n) }

// Code returns a line of source with tabs as four spaces, cut to the room beside its number.
func Code(text string, width int) string {
	text = strings.TrimRight(printable.Clean(text), "\r\ufffd \t")
	return Shorten(strings.ReplaceAll(text, "\t", "    "), width-NoteMargin)
}

// Indent wraps text to the width and indents every line by n columns.
func Indent(n int, text string, width int) string {
	margin := strings.Repeat(" ", n)
	var b strings.Builder
	for _, l := range strings.Split(lipgloss.Wrap(text, width-n, " "), "\n") {
		b.WriteString(strings.TrimRight(margin+l, " ") + "\n")
	}
	return b.String()
}

// Hang wraps text that begins at column n, and indents the following lines by n columns.
func Hang(n int, text string, width int) string {
	lines := strings.Split(lipgloss.Wrap(text, max(20, width-n), " "), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", n))
}
