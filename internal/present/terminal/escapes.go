package terminal

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/why"
)

// Escapes writes diagnostics beneath their source lines: all diagnostics, or only diagnostics that put a value on the
// heap. Then it writes how many diagnostics there are of each kind. It calls o.Source, which must not be nil, with the
// files of diagnostics.
func Escapes(w io.Writer, diagnostics []escape.Diagnostic, all bool, o Options) {
	onHeap, counts := 0, map[escape.Kind]int{}
	var lines []string
	file, line, files := "", 0, 0
	printed := map[string]bool{} // on the line
	for _, d := range diagnostics {
		counts[d.Kind]++
		if why.IsHeapDiagnostic(d) {
			onHeap++
		} else if !all {
			continue
		}
		if d.File != file {
			if files++; files > 1 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "  %s\n", bold.Render(printable.Clean(d.File)))
			file, line, lines = d.File, -1, strings.Split(string(o.Source(d.File)), "\n")
		}
		if d.Line != line {
			line = d.Line
			clear(printed)
			if line >= 1 && line <= len(lines) {
				numberedLine(w, line, lines[line-1], o.Width)
			} else {
				fmt.Fprintf(w, "%s %s\n", bold.Render(number(line)), faint.Render("│"))
			}
		}
		// The compiler reports some diagnostics again for code that it made of the line.
		if text := fmt.Sprint(d.Col, escape.Why(d)); !printed[text] {
			printed[text] = true
			diagnostic(w, d, o.Width)
		}
	}
	if files > 0 {
		fmt.Fprintln(w)
	}
	escapeCounts(w, onHeap, counts, o.Width)
}

// diagnostic writes a diagnostic: its column, its meaning, and the steps that led to it.
func diagnostic(w io.Writer, d escape.Diagnostic, width int) {
	style := faint
	if why.IsHeapDiagnostic(d) {
		style = heap
	}
	lead := fmt.Sprintf("%d: ", d.Col)
	if d.Col == 0 {
		lead = ""
	}
	fmt.Fprintf(w, "%s%s%s\n", strings.Repeat(" ", noteMargin-2), faint.Render("╰ ")+faint.Render(lead),
		hang(noteMargin+len(lead), style.Render(printable.Clean(escape.Why(d))), width))
	flow(w, escape.Reasons(d), d.File, width)
}

// escapeCounts writes how many values go to the heap, and how many diagnostics there are of the other kinds.
func escapeCounts(w io.Writer, onHeap int, counts map[escape.Kind]int, width int) {
	parts := []string{plural(onHeap, "value", "goes", "go") + " to the heap"}
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
	fmt.Fprint(w, indent(2, strings.Join(parts, " · "), width))
}

// plural returns a number of things and their verb: "1 line allocates", "2 lines allocate".
func plural(n int, what, one, many string) string {
	if n == 1 {
		many = one
	}
	return present.Plural(n, what) + " " + many
}
