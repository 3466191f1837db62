package present

import (
	"fmt"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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

// nbsp is a blank at which Wrap breaks no line, and joiner a hyphen at which package ansi breaks none. glue is the blank
// before a percent sign: a rune for private use, because nbsp marks commands.
const nbsp, joiner, glue = "\u00a0", "\u2011", "\ue000"

// Command returns a command as Wrap does not break it.
func Command(text string) string { return strings.ReplaceAll(text, " ", nbsp) }

// quoted matches a command in quotation marks, or in a Markdown code span.
var quoted = regexp.MustCompile("[`\"](?:go|checkalloc) [^`\"\n]+[`\"]")

// codeSpan matches a code span of Markdown.
var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// Prose returns a text of an exercise, which is Markdown, with its code in bold instead of backticks. Wrap breaks none of
// the commands in it.
func Prose(text string) string {
	return codeSpan.ReplaceAllStringFunc(text, func(span string) string {
		if quoted.MatchString(span) {
			span = Command(span)
		}
		return Bold.Render(strings.Trim(span, "`"))
	})
}

// Wrap wraps text to the width. It breaks lines at blanks, because a hyphen may begin a flag, and words that are wider
// than a line. It breaks no percentage, and no command unless a line is too short for it: then between arguments, with a
// backslash for the shell, so that a reader can copy it.
func Wrap(text string, width int) string {
	text = strings.NewReplacer("-", joiner, " %", glue+"%").Replace(quoted.ReplaceAllStringFunc(text, Command))
	lines := strings.Split(ansi.Wordwrap(text, width, ""), "\n")
	for i, l := range lines {
		switch {
		case !strings.Contains(l, nbsp):
			lines[i] = ansi.Wrap(l, width, "")
		case lipgloss.Width(l) > width:
			l = ansi.Wordwrap(strings.ReplaceAll(l, nbsp, " "), width-2, "")
			lines[i] = strings.ReplaceAll(l, "\n", " \\\n")
		}
	}
	text = strings.NewReplacer(nbsp, " ", joiner, "-", glue, " ").Replace(strings.Join(lines, "\n"))
	return lipgloss.Wrap(text, 0, "") // continues styles on the next line
}

// Indent wraps text to the width and indents every line by n columns.
func Indent(n int, text string, width int) string {
	margin := strings.Repeat(" ", n)
	var b strings.Builder
	for _, l := range strings.Split(Wrap(text, width-n), "\n") {
		b.WriteString(strings.TrimRight(margin+l, " ") + "\n")
	}
	return b.String()
}

// Hang wraps text that begins at column n, and indents the following lines by n columns.
func Hang(n int, text string, width int) string {
	lines := strings.Split(Wrap(text, max(20, width-n)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", n))
}
