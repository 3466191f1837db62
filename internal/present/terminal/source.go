package terminal

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// contextLines is the number of lines that are shown before and after an allocating line.
const contextLines = 1

// minRoom is the least number of columns for a reason beside its figure. With fewer, the reason goes below.
const minRoom = 40

// Allocations writes the source around each allocating line, by function, with allocs/op, B/op and reasons. It also
// shows the lines that a reason names.
func Allocations(w io.Writer, v *verdict.Verdict, o Options) { allocations(w, v, v.Allocations, o) }

// allocations is Allocations for some lines of v or of other packages. It calls o.Source with the import path of
// another package before the name of a file.
func allocations(w io.Writer, v *verdict.Verdict, all []verdict.Allocation, o Options) {
	for _, group := range byFunction(all) {
		name := present.FileName(v, o.Module, path.Join(group[0].Package, group[0].File))
		fmt.Fprintf(w, "  %s\n",
			bold.Render(printable.Clean(name))+", "+printable.Clean(why.Outermost(group[0].Func)))
		group = joinCopies(group)
		var others map[int][]verdict.Allocation
		if o.Fold {
			group, others = foldAlike(group)
		}
		shown := shownLines(group)
		for i, n := range shown {
			if i > 0 && n > shown[i-1]+1 {
				fmt.Fprintln(w, strings.Repeat(" ", noteMargin-2)+faint.Render("⋮"))
			}
			here := slices.DeleteFunc(slices.Clone(group), func(a verdict.Allocation) bool { return a.Line != n })
			sourceLine(w, o, path.Join(group[0].Package, group[0].File), n, here)
			for _, a := range here {
				note(w, v, a, o.Width)
			}
			if len(others[n]) > 0 {
				fmt.Fprint(w, indent(noteMargin, likewise(others[n]), o.Width))
			}
		}
		fmt.Fprintln(w)
	}
	if slices.ContainsFunc(all, func(a verdict.Allocation) bool { return a.Shared }) {
		fmt.Fprintln(w, indent(2, why.SharedNote, o.Width))
	}
}

// shownLines returns the numbers of the lines to show for a group: the allocating lines with their neighbors, and the
// lines that the reasons name.
func shownLines(group []verdict.Allocation) []int {
	var lines []int
	for _, a := range group {
		for n := a.Line - contextLines; n <= a.Line+contextLines; n++ {
			lines = append(lines, n)
		}
		for _, r := range a.Reasons {
			for _, step := range r.Flow {
				if step.File == a.File {
					lines = append(lines, step.Line)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// byFunction groups allocations by file and function. Closures belong to the function that they are declared in. The
// group that allocates most comes first, and within a group lines are in source order.
func byFunction(allocations []verdict.Allocation) [][]verdict.Allocation {
	var groups [][]verdict.Allocation
	for _, a := range allocations {
		i := slices.IndexFunc(groups, func(g []verdict.Allocation) bool { return functionOf(g[0]) == functionOf(a) })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], a)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b verdict.Allocation) int { return a.Line - b.Line })
	}
	return groups
}

// note writes "╰ 1 alloc/op, 48 B/op why" with the steps below it.
func note(w io.Writer, v *verdict.Verdict, a verdict.Allocation, width int) {
	figure := verdict.FormatFigures(a.AllocsPerOp, a.BytesPerOp)
	if len(v.Benchmarks) > 1 {
		figure += " in " + printable.Clean(a.Benchmark)
	}
	if a.Shared {
		figure += " (shared)"
	}
	fmt.Fprint(w, strings.Repeat(" ", noteMargin-2)+warm.Render("╰ ")+hang(noteMargin, heap.Render(figure), width))
	text, begin := printable.Clean(a.Why), noteMargin+lipgloss.Width(figure)+3
	if fitsBeside(text, width-begin, width-noteMargin) {
		fmt.Fprintf(w, "   %s\n", hang(begin, text, width))
	} else { // a column this narrow is hard to read
		fmt.Fprintf(w, "\n%s", indent(noteMargin, text, width))
	}
	chain(w, v, a, width)
	var steps []escape.Step
	for _, r := range a.Reasons {
		steps = append(steps, r.Flow...)
	}
	flow(w, steps, a.File, width)
}

// flow writes the steps below a line of the file, each once.
func flow(w io.Writer, steps []escape.Step, file string, width int) {
	printed := map[string]bool{}
	for _, step := range steps {
		place := fmt.Sprint(step.Line)
		if step.File != file {
			place = fmt.Sprintf("%s:%d", printable.Clean(step.File), step.Line)
		}
		text := fmt.Sprintf("%4s  ", place)
		if key := text + step.Message; !printed[key] {
			printed[key] = true
			fmt.Fprintf(w, "%s%s%s\n", strings.Repeat(" ", noteMargin), faint.Render(text),
				hang(noteMargin+lipgloss.Width(text), printable.Clean(step.Message), width))
		}
	}
}

// fitsBeside reports whether a reason fits into that room beside its figure: on one line or, if the column is wide
// enough to be read, in no more lines than it takes with the room below.
func fitsBeside(text string, beside, below int) bool {
	if lipgloss.Width(text) <= beside {
		return true
	}
	return beside >= minRoom && wrappedLines(text, beside) <= 1+wrappedLines(text, below)
}

// wrappedLines returns the number of lines of a text that is wrapped to the width.
func wrappedLines(text string, width int) int {
	return 1 + strings.Count(present.Wrap(text, width), "\n")
}

// maxCalls is how many functions of a chain of calls are shown: the outermost, and the one that allocates.
const maxCalls = 6

// chain writes the functions between the line and most of its callees' allocations, if there are several.
func chain(w io.Writer, v *verdict.Verdict, a verdict.Allocation, width int) {
	if len(a.Callees) < 2 {
		return
	}
	var names []string
	for _, callee := range a.Callees {
		names = append(names, printable.Clean(v.Names.Short(callee)))
	}
	if len(names) > maxCalls {
		names = slices.Concat(names[:maxCalls-2], []string{"…"}, names[len(names)-1:])
	}
	fmt.Fprint(w, indent(noteMargin+4, faint.Render(strings.Join(names, " → ")), width))
}

// sourceLine writes line n of a file, which has these allocations. A line without that is blank or unknown is left out.
func sourceLine(w io.Writer, o Options, file string, n int, here []verdict.Allocation) {
	code, ok := line(o, file, n)
	switch {
	case len(here) > 0 && !ok:
		numberedLine(w, n, here[0].Code, o.Width)
	case len(here) > 0:
		numberedLine(w, n, code, o.Width)
	case strings.TrimSpace(code) != "":
		fmt.Fprintf(w, "%s %s %s\n", faint.Render(number(n)), faint.Render("│"), faint.Render(present.Code(code, o.Width)))
	}
}

// line returns line n of a file.
func line(o Options, file string, n int) (string, bool) {
	for l := range strings.Lines(string(present.Text(o.Source, file))) {
		if n--; n == 0 {
			return strings.TrimSuffix(l, "\n"), true
		}
	}
	return "", false
}

// numberedLine writes a line of source behind its number.
func numberedLine(w io.Writer, n int, text string, width int) {
	fmt.Fprintf(w, "%s %s %s\n", bold.Render(number(n)), faint.Render("│"), present.Code(text, width))
}
