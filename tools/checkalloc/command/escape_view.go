package command

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/escape"
	"onthestack/internal/printable"
)

// escapes prints diagnostics beneath their source lines: all of them, or only those that put a value on the heap. Then
// it prints how many there are of each kind.
func (c console) escapes(diagnostics []escape.Diagnostic, source func(file string) []byte, all bool) {
	counts := map[escape.Kind]int{}
	var lines []string
	file, line, files := "", 0, 0
	printed := map[string]bool{} // on the line
	for _, d := range diagnostics {
		counts[d.Kind]++
		if !all && !onHeap(d) {
			continue
		}
		if d.File != file {
			if files++; files > 1 {
				fmt.Fprintln(c.Out)
			}
			fmt.Fprintf(c.Out, "  %s\n", bold.Render(printable.Clean(d.File)))
			file, line, lines = d.File, -1, strings.Split(string(source(d.File)), "\n")
		}
		if d.Line != line {
			line = d.Line
			clear(printed)
			if line >= 1 && line <= len(lines) {
				c.sourceLine(line, lines[line-1])
			} else {
				fmt.Fprintf(c.Out, "%s %s\n", bold.Render(fmt.Sprintf("%6d", line)), faint.Render("│"))
			}
		}
		// The compiler reports some diagnostics again for code that it made of the line.
		if text := fmt.Sprint(d.Col, escape.Why(d)); !printed[text] {
			printed[text] = true
			c.diagnostic(d)
		}
	}
	if files > 0 {
		fmt.Fprintln(c.Out)
	}
	c.escapeCounts(counts, diagnostics)
}

// onHeap reports whether a diagnostic puts a value on the heap. Constants do not count: the compiler reports them as
// escaping, but they are static data.
func onHeap(d escape.Diagnostic) bool {
	if d.Kind != escape.Escape && d.Kind != escape.Moved {
		return false
	}
	_, notString := strconv.Unquote(escape.Subject(d))
	_, notNumber := strconv.ParseFloat(escape.Subject(d), 64)
	return notString != nil && notNumber != nil
}

// noteColumn is the column in which the text below a source line begins.
const noteColumn = 9

func (c console) sourceLine(n int, text string) {
	code := []rune(strings.ReplaceAll(strings.TrimRight(printable.Clean(text), "\r� \t"), "\t", "    "))
	if room := c.Width - noteColumn; len(code) > room {
		code = append(code[:room-1], '…')
	}
	fmt.Fprintf(c.Out, "%s %s %s\n", bold.Render(fmt.Sprintf("%6d", n)), faint.Render("│"), string(code))
}

// diagnostic prints a diagnostic: its column, its meaning, and the steps that led to it.
func (c console) diagnostic(d escape.Diagnostic) {
	style := faint
	if onHeap(d) {
		style = warm
	}
	lead := fmt.Sprintf("%d: ", d.Col)
	if d.Col == 0 {
		lead = ""
	}
	why := escape.Why(d)
	c.hanging(
		noteColumn-2,
		faint.Render("╰ ")+faint.Render(lead),
		noteColumn+len(lead),
		style.Render(printable.Clean(why)),
	)
	printed := map[string]bool{}
	for _, step := range escape.Reasons(d) {
		position := fmt.Sprint(step.Line)
		if step.File != d.File {
			position = fmt.Sprintf("%s:%d", step.File, step.Line)
		}
		text := fmt.Sprintf("%4s  ", position)
		if key := text + step.Message; !printed[key] {
			printed[key] = true
			c.hanging(
				noteColumn,
				faint.Render(printable.Clean(text)),
				noteColumn+lipgloss.Width(text),
				printable.Clean(step.Message),
			)
		}
	}
}

// hanging prints a lead at column n and a text behind it, whose other lines begin at column m.
func (c console) hanging(n int, lead string, m int, text string) {
	lines := strings.Split(lipgloss.Wrap(text, max(20, c.Width-m), " "), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	fmt.Fprintf(c.Out, "%s%s%s\n", strings.Repeat(" ", n), lead, strings.Join(lines, "\n"+strings.Repeat(" ", m)))
}

// escapeCounts prints how many diagnostics there are of each kind.
func (c console) escapeCounts(counts map[escape.Kind]int, diagnostics []escape.Diagnostic) {
	heap := 0
	for _, d := range diagnostics {
		if onHeap(d) {
			heap++
		}
	}
	parts := []string{plural(heap, "value", "goes", "go") + " to the heap"}
	for _, k := range []struct {
		kind            escape.Kind
		what, one, many string
		rest            string
	}{
		{escape.Stays, "value", "stays", "stay", " on the stack"},
		{escape.Leak, "parameter", "outlives", "outlive", " the call"},
		{escape.Inline, "remark", "is", "are", " on inlining"},
	} {
		if n := counts[k.kind]; n > 0 {
			parts = append(parts, plural(n, k.what, k.one, k.many)+k.rest)
		}
	}
	c.wrapped(2, strings.Join(parts, " · "))
}

func plural(n int, what, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s %s", what, one)
	}
	return fmt.Sprintf("%d %ss %s", n, what, many)
}
