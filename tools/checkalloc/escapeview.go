package main

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/escape"
	"onthestack/internal/printable"
)

// showEscapes writes diagnostics beneath the source lines that they are on: all of them, or those that put a value on the heap
// and a count of the others.
func (c *command) showEscapes(diagnostics []escape.Diagnostic, source func(file string) []byte, all bool) {
	counts := map[escape.Kind]int{}
	var lines []string
	file, line, files := "", 0, 0
	said := map[string]bool{} // of the line
	for _, d := range diagnostics {
		counts[d.Kind]++
		if !all && !onHeap(d) {
			continue
		}
		if d.File != file {
			if files++; files > 1 {
				fmt.Fprintln(c.out)
			}
			fmt.Fprintf(c.out, "  %s\n", bold.Render(printable.Clean(d.File)))
			file, line, lines = d.File, -1, strings.Split(string(source(d.File)), "\n")
		}
		if d.Line != line {
			line = d.Line
			clear(said)
			if line >= 1 && line <= len(lines) {
				c.sourceLine(line, lines[line-1])
			} else {
				fmt.Fprintf(c.out, "%s %s\n", bold.Render(fmt.Sprintf("%6d", line)), faint.Render("│"))
			}
		}
		// The compiler says some things once more, of what it made of the line.
		if told := fmt.Sprint(d.Col, escape.Why(d)); !said[told] {
			said[told] = true
			c.diagnostic(d)
		}
	}
	if files > 0 {
		fmt.Fprintln(c.out)
	}
	c.sumUp(counts, diagnostics)
}

// onHeap reports whether a value is made on the heap. Constants are left out: the compiler calls them escaping, and has them ready.
func onHeap(d escape.Diagnostic) bool {
	if d.Kind != escape.Escape && d.Kind != escape.Moved {
		return false
	}
	_, notText := strconv.Unquote(escape.Subject(d))
	_, notNumber := strconv.ParseFloat(escape.Subject(d), 64)
	return notText != nil && notNumber != nil
}

// noteColumn is where what is said of a line begins.
const noteColumn = 9

func (c *command) sourceLine(n int, text string) {
	code := []rune(strings.ReplaceAll(strings.TrimRight(printable.Clean(text), "\r� \t"), "\t", "    "))
	if room := c.width - noteColumn; len(code) > room {
		code = append(code[:room-1], '…')
	}
	fmt.Fprintf(c.out, "%s %s %s\n", bold.Render(fmt.Sprintf("%6d", n)), faint.Render("│"), string(code))
}

// diagnostic writes one: the column, the words, and the steps that led to it.
func (c *command) diagnostic(d escape.Diagnostic) {
	style := faint
	if onHeap(d) {
		style = warm
	}
	lead := fmt.Sprintf("%d: ", d.Col)
	if d.Col == 0 {
		lead = ""
	}
	why := escape.Why(d)
	c.hung(noteColumn-2, faint.Render("╰ ")+faint.Render(lead), noteColumn+len(lead), style.Render(printable.Clean(why)))
	told := map[string]bool{}
	for _, step := range escape.Reasons(d) {
		place := fmt.Sprint(step.Line)
		if step.File != d.File {
			place = fmt.Sprintf("%s:%d", step.File, step.Line)
		}
		text := fmt.Sprintf("%4s  ", place)
		if key := text + step.Message; !told[key] {
			told[key] = true
			c.hung(noteColumn, faint.Render(printable.Clean(text)), noteColumn+lipgloss.Width(text), printable.Clean(step.Message))
		}
	}
}

// hung writes a lead from column n on and a text behind it, whose further lines begin at column m.
func (c *command) hung(n int, lead string, m int, text string) {
	lines := strings.Split(lipgloss.Wrap(text, max(20, c.width-m), " "), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	fmt.Fprintf(c.out, "%s%s%s\n", strings.Repeat(" ", n), lead, strings.Join(lines, "\n"+strings.Repeat(" ", m)))
}

// sumUp says how many diagnostics there are of each kind.
func (c *command) sumUp(counts map[escape.Kind]int, diagnostics []escape.Diagnostic) {
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
