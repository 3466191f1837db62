package present

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Shorten cuts text to at most that many characters. The last character of a text that was cut is "…".
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// Capital writes the first letter of a text, which is ASCII, in upper case.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Plural writes a count with its noun: "1 line", "3 lines".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Percent writes a share from 0 to 1 as a percentage: "41 %", "under 1 %".
func Percent(share float64) string {
	if share > 0 && share < 0.01 {
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

// Platform writes the release and platform that built the program, and for an exercise the engine that ran it:
// "go1.26.8 linux/amd64, native". It returns "" if nothing was built.
func Platform(v *verdict.Verdict) string {
	if v.Go == "" {
		return ""
	}
	text := v.Go + " " + v.GOOS + "/" + v.GOARCH
	if v.Engine != "" && v.Exercise != "" {
		text += ", " + v.Engine
	}
	return printable.Inline(text)
}

// Heading returns what v is about: the import path of a package, or the exercise and its title.
func Heading(v *verdict.Verdict) string {
	if v.Exercise == "" && v.Package != "" {
		return printable.Inline(v.Package)
	}
	return printable.Inline(v.Exercise + " " + v.Title)
}

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
