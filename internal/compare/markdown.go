package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"onthestack/internal/verdict"
)

// WriteMarkdown writes c as tables for a pull request, in GitHub's Markdown. What is from source code or a compiler's
// report is escaped: it shows as it is and calls nobody.
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
			escaped(b.Ns.Delta), b.Ns.Confidence(), b.Allocs.cell(verdict.FormatCount), b.Bytes.cell(verdict.FormatBytes))
	}
	fmt.Fprintln(w)
}

// cell is "3 → 2, -33.33%", or the figure alone where it is the same.
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
			FormatStep(l.Old.AllocsPerOp, l.New.AllocsPerOp, verdict.FormatCount), FormatStep(l.Old.BytesPerOp, l.New.BytesPerOp,
				verdict.FormatBytes), l.whyCell(len(c.Benchmarks) > 1))
	}
	fmt.Fprintln(w)
}

// placesCell is where the line is, or was if it is gone, with its text; of one that was edited, split or joined, before
// and after.
func (l *Line) placesCell() string {
	var parts []string
	add := func(sign string, places []Place) {
		for _, p := range places {
			parts = append(parts, fmt.Sprintf("%s%s %s", sign, codeSpan(fmt.Sprintf("%s:%d", p.File, p.Line)), codeSpan(p.Code)))
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

// codeSpan is text as code. The tag takes the place of backquotes: between these, a table has no way to write a
// backslash before a bar.
func codeSpan(text string) string { return "<code>" + escaped(text) + "</code>" }

// markdownActive are the characters that mean something to Markdown, HTML or GitHub wherever they stand. A bar ends a
// cell, "@" calls people, "#" links, "$" begins a formula.
const markdownActive = "\\`*_[]<>#|~&@$"

// escaped writes active characters as character references, and blanks for what breaks a line.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch {
		// GitHub looks for names in the page that Markdown became; the comment parts the sign from what follows
		case r == '@':
			b.WriteString("&#64;<!-- -->")
		case strings.ContainsRune(markdownActive, r), r == ':' && names(runes[i+1:]), r == '.' && i >= 3 &&
			string(runes[i-3:i]) == "www":
			fmt.Fprintf(&b, "&#%d;", r)
		case unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			b.WriteByte(' ')
		case unicode.Is(unicode.Bidi_Control, r): // turns the order of what is shown around
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// names reports whether what follows a colon may make a link or an emoji of it: "://", ":smile:", not ":=".
func names(after []rune) bool {
	return len(after) > 0 && (unicode.IsLetter(after[0]) || unicode.IsDigit(after[0]) ||
		strings.ContainsRune("/+-", after[0]))
}
