package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"onthestack/internal/verdict"
)

// WriteMarkdown writes c as tables for a pull request, in GitHub's Markdown. Text from source code or from the compiler
// is escaped, so that it is shown literally and mentions nobody.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Allocations of %s\n\n%s → %s: %s\n\n", codeSpan(c.Package), codeSpan(c.Old.Label),
		codeSpan(c.New.Label), escaped(c.Summary()))
	c.benchmarkTable(b)
	c.lineTable(b)
	for _, note := range c.Remarks() {
		fmt.Fprintf(b, "- %s\n", escaped(note))
	}
	return b.Flush()
}

func (c *Comparison) benchmarkTable(w io.Writer) {
	if len(c.Benchmarks) == 0 {
		return
	}
	fmt.Fprint(w, "| benchmark | ns/op | allocs/op | B/op |\n|---|---:|---:|---:|\n")
	for _, b := range c.Benchmarks {
		fmt.Fprintf(w, "| %s | %s ± %s → %s ± %s, %s (%s) | %s | %s |\n", codeSpan(b.Name),
			verdict.FormatTime(b.Ns.Old.Median), b.Ns.Old.Range, verdict.FormatTime(b.Ns.New.Median), b.Ns.New.Range,
			escaped(b.Ns.Delta), b.Ns.Confidence(), b.Allocs.cell(verdict.FormatCount),
			b.Bytes.cell(verdict.FormatBytes))
	}
	fmt.Fprintln(w)
}

// cell returns "3 → 2, -33.33%", or the figure alone if it did not change.
func (e Exact) cell(format func(float64) string) string {
	if e.Old == e.New {
		return format(e.New)
	}
	return fmt.Sprintf("%s → %s, %s", format(e.Old), format(e.New), escaped(e.Change()))
}

func (c *Comparison) lineTable(w io.Writer) {
	if len(c.Lines) == 0 {
		return
	}
	fmt.Fprint(w, "| change | line | allocs/op | B/op | why |\n|---|---|---:|---:|---|\n")
	for _, l := range c.Lines {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", l.Kind, l.placesCell(),
			FormatStep(l.Old.AllocsPerOp, l.New.AllocsPerOp, verdict.FormatCount),
			FormatStep(l.Old.BytesPerOp, l.New.BytesPerOp, verdict.FormatBytes), l.whyCell(len(c.Benchmarks) > 1))
	}
	fmt.Fprintln(w)
}

// placesCell returns the line's position, or the old one if it is gone, with its text. For a line that was edited,
// split or joined it returns both sides.
func (l *Line) placesCell() string {
	var parts []string
	add := func(sign string, places []Place) {
		for _, p := range places {
			parts = append(parts, fmt.Sprintf("%s%s %s", sign, codeSpan(fmt.Sprintf("%s:%d", p.File, p.Line)),
				codeSpan(p.Code)))
		}
	}
	switch {
	case len(l.New.Places) == 0:
		add("", l.Old.Places)
	case !l.Edited():
		add("", l.New.Places)
	default:
		add("− ", l.Old.Places)
		add("+ ", l.New.Places)
	}
	return strings.Join(parts, "<br>")
}

func (l *Line) whyCell(nameBenchmark bool) string {
	text := escaped(l.New.Why)
	switch {
	case l.Kind == Stopped:
		text = "was: " + escaped(l.Old.Why)
	case l.ReasonChanged:
		was, is := l.Reasons()
		text = escaped(is) + "<br>was: " + escaped(was)
	}
	if nameBenchmark {
		text += " (" + codeSpan(l.Benchmark) + ")"
	}
	return text
}

// codeSpan returns text as code. It uses a tag instead of backquotes, since between these a table cannot have a
// backslash before a bar.
func codeSpan(text string) string { return "<code>" + escaped(text) + "</code>" }

// markdownActive are the characters that Markdown, HTML or GitHub interpret anywhere in a text. A bar ends a cell, "@"
// mentions people, "#" links, and "$" begins a formula.
const markdownActive = "\\`*_[]<>#|~&@$"

// escaped replaces active characters by character references, and line breaks by blanks.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch {
		// GitHub looks for mentions in the rendered page, so an empty comment separates the sign from what follows.
		case r == '@':
			b.WriteString("&#64;<!-- -->")
		case strings.ContainsRune(markdownActive, r), r == ':' && names(runes[i+1:]), r == '.' && i >= 3 &&
			string(runes[i-3:i]) == "www":
			fmt.Fprintf(&b, "&#%d;", r)
		case unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			b.WriteByte(' ')
		case unicode.Is(unicode.Bidi_Control, r): // changes the order of the text around it
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// names reports whether the text after a colon could make it part of a link or an emoji: "://", ":smile:", but not
// ":=".
func names(after []rune) bool {
	return len(after) > 0 && (unicode.IsLetter(after[0]) || unicode.IsDigit(after[0]) ||
		strings.ContainsRune("/+-", after[0]))
}
