// Package report writes what the commands for packages of the user find. Text for a terminal has comparisons of two
// verdicts (compare.go), proven edits (suggest.go, suggestion.go) and the outcome of budgets (guard.go). Comments on a
// pull request (markdown*.go) have explanations, comparisons and proven edits, and logs for code review (sarif*.go)
// have explanations and proven edits. Book and exercises use none of it, so that a change here builds no book.
//
// Text for a terminal is colored like the text of package terminal.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/why"
)

// Comparison writes what changed between two verdicts: a table of the benchmarks' figures, then the lines grouped by
// how they changed. The table has the figures that differ, or all.
func Comparison(w io.Writer, c *compare.Comparison, all bool, width int) {
	left := present.Bold.Render(printable.Clean(c.Package))
	right := printable.Clean(c.Old.Label + " → " + c.New.Label)
	if gap := width - lipgloss.Width(left) - lipgloss.Width(right); gap >= 2 {
		fmt.Fprintf(w, "%s%s%s\n\n", left, strings.Repeat(" ", gap), present.Faint.Render(right))
	} else {
		fmt.Fprintf(w, "%s%s\n", present.Indent(0, left, width), present.Indent(2, present.Faint.Render(right), width))
	}
	figures(w, c.Benchmarks, all, width)
	for _, kind := range compare.Kinds() {
		lines(w, c, kind, width)
	}
	fmt.Fprint(w, present.Indent(2, present.Capital(printable.Clean(c.Summary())), width))
	for _, text := range c.Remarks() {
		fmt.Fprint(w, hanging(present.Warm.Render("note")+"  ", printable.Clean(text), width))
	}
}

// hanging writes a heading and text whose following lines are indented below their first.
func hanging(lead, text string, width int) string {
	return "  " + lead + present.Hang(2+lipgloss.Width(lead), text, width) + "\n"
}

// lines writes the lines that changed in one way. A source line is written once, with a note for each benchmark.
func lines(w io.Writer, c *compare.Comparison, kind string, width int) {
	changed := slices.DeleteFunc(slices.Clone(c.Lines), func(l compare.Line) bool { return l.Kind != kind })
	if len(changed) == 0 {
		return
	}
	style := present.Bold
	switch kind {
	case compare.Started, compare.More:
		style = present.Bad
	case compare.Stopped, compare.Fewer:
		style = present.Good
	}
	fmt.Fprintf(w, "  %s\n", style.Render(compare.Did(kind, 2)))
	written := map[compare.Place]bool{}
	last := ""
	for _, l := range changed {
		if written[l.Place()] {
			continue
		}
		written[l.Place()] = true
		if text := heading(&l); text != last {
			fmt.Fprint(w, present.Indent(4, text, width))
			last = text
		}
		changedLine(w, &l, width)
		for _, other := range changed {
			if other.Place() == l.Place() {
				change(w, &other, len(c.Benchmarks) > 1, width)
			}
		}
	}
	fmt.Fprintln(w)
}

// heading writes where a line is, and where it was if it moved.
func heading(l *compare.Line) string {
	is := l.Place()
	place := present.Bold.Render(printable.Clean(is.File)) + ", " + printable.Clean(functionName(is.Func))
	if len(l.New.Places) > 0 && len(l.Old.Places) > 0 {
		was := l.Old.Places[0]
		switch {
		case was.File != is.File:
			place += present.Faint.Render(fmt.Sprintf("   was %s, %s", printable.Clean(position(was.File, was.Line)),
				printable.Clean(functionName(was.Func))))
		case functionName(was.Func) != functionName(is.Func):
			place += present.Faint.Render("   was " + printable.Clean(functionName(was.Func)))
		}
	}
	return place
}

// changedLine writes the text of a line, and its old text if it was edited.
func changedLine(w io.Writer, l *compare.Line, width int) {
	switch {
	case len(l.New.Places) == 0:
		codeLines(w, "-", l.Old.Places, width)
	case l.Edited():
		codeLines(w, "-", l.Old.Places, width)
		codeLines(w, "+", l.New.Places, width)
	case len(l.Old.Places) == 0 && l.Kind == compare.Started:
		codeLines(w, "+", l.New.Places, width)
	default:
		codeLines(w, " ", l.New.Places, width)
	}
}

// functionName returns the name of the declared function, or says that the line is outside of functions.
func functionName(name string) string {
	if name == "" {
		return "outside of functions"
	}
	return why.Outermost(name)
}

func codeLines(w io.Writer, sign string, places []compare.Place, width int) {
	for _, p := range places {
		number := present.Number(p.Line)[1:]
		if p.Line == 0 {
			number = strings.Repeat(" ", len(number))
		}
		fmt.Fprintf(w, "%s\n", strings.TrimRight(fmt.Sprintf("%s%s %s %s", sign, number, present.Faint.Render("│"),
			present.Code(p.Code, width)), " "))
	}
}

// change writes "╰ 1 → 2 allocs/op, 48 → 96 B/op why", and the old reason if it differs.
func change(w io.Writer, l *compare.Line, nameBenchmark bool, width int) {
	figure := stepText(l.Old.AllocsPerOp, l.New.AllocsPerOp, l.Old.BytesPerOp, l.New.BytesPerOp)
	if nameBenchmark {
		figure += " in " + printable.Clean(l.Benchmark)
	}
	if l.Shared {
		figure += " (shared)"
	}
	var whys []string
	switch {
	case l.Kind == compare.Stopped:
		whys = []string{"was: " + l.Old.Why}
	case l.ReasonChanged:
		was, is := l.Reasons()
		whys = []string{"now: " + is, "was: " + was}
	default:
		whys = []string{l.New.Why}
	}
	lead := strings.Repeat(" ", present.NoteMargin-2) + present.Warm.Render("╰ ") + present.Heap.Render(figure)
	at := lipgloss.Width(lead) + 3
	if at > width/2 || len(whys) > 1 { // below, where there is more room
		fmt.Fprint(w, lead+"\n")
		at = present.NoteMargin + 2
	} else {
		fmt.Fprint(w, lead+"   "+present.Hang(at, printable.Clean(whys[0]), width)+"\n")
		whys = whys[1:]
	}
	for _, why := range whys {
		fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", at), present.Hang(at, printable.Clean(why), width))
	}
}
