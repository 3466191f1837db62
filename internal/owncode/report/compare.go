// Package report writes what the commands for packages of the user find. Text for a terminal has comparisons of two
// verdicts (compare.go), proven edits (suggest.go) and the outcome of budgets (guard.go). Comments on a
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
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// Comparison writes what changed between two verdicts: a table of the benchmarks' figures, then the lines grouped by
// how they changed. The table has the figures that differ, or all.
func Comparison(w io.Writer, c *compare.Comparison, all bool, width int) {
	comparedSides(w, c.Package, c.Old.Label, c.New.Label, width)
	figures(w, c.Benchmarks, all, width)
	for _, kind := range compare.Kinds() {
		lines(w, c, kind, width)
	}
	fmt.Fprint(w, present.Indent(2, present.Capital(printable.Clean(c.Summary())), width))
	for _, text := range c.Remarks() {
		fmt.Fprint(w, hanging(present.Warm.Render("note")+"  ", printable.Clean(text), width))
	}
}

// comparedSides writes what is compared, and the labels of both sides.
func comparedSides(w io.Writer, name, old, new string, width int) {
	left := present.Bold.Render(printable.Clean(name))
	right := printable.Clean(old + " → " + new)
	if gap := width - lipgloss.Width(left) - lipgloss.Width(right); gap >= 2 {
		fmt.Fprintf(w, "%s%s%s\n\n", left, strings.Repeat(" ", gap), present.Faint.Render(right))
	} else {
		fmt.Fprintf(w, "%s%s\n", present.Indent(0, left, width), present.Indent(2, present.Faint.Render(right), width))
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
	fmt.Fprintf(w, "  %s\n", kindStyle(kind).Render(compare.Did(kind, 2)))
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

// kindStyle returns the color of a kind of change.
func kindStyle(kind string) lipgloss.Style {
	switch kind {
	case compare.Started, compare.More:
		return present.Bad
	case compare.Stopped, compare.Fewer:
		return present.Good
	}
	return present.Bold
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

// figures writes the table: for each unit a heading, then a row for each benchmark whose figure differs, or for all.
func figures(w io.Writer, benchmarks []compare.Benchmark, all bool, width int) {
	type row struct{ name, old, new, delta string }
	units := []struct {
		name    string
		differs func(compare.Benchmark) bool
		row     func(compare.Benchmark) row
	}{
		{"allocs/op", func(b compare.Benchmark) bool { return all || b.Allocs.Differs() },
			func(b compare.Benchmark) row { return exactRow(b.Name, b.Allocs, verdict.FormatCount) }},
		{"B/op", func(b compare.Benchmark) bool { return all || b.Bytes.Differs() },
			func(b compare.Benchmark) row { return exactRow(b.Name, b.Bytes, verdict.FormatBytes) }},
		{"ns/op", func(b compare.Benchmark) bool { return all && timed(b) || b.Ns.Differs() },
			func(b compare.Benchmark) row {
				return row{b.Name, sample(b.Ns.Old), sample(b.Ns.New), b.Ns.Delta + " " +
					present.Faint.Render("("+b.Ns.Confidence()+")")}
			}},
	}
	var rows [][]row
	var columns [3]int // widths of the names, the old figures and the new ones
	for _, u := range units {
		var unit []row
		for _, b := range benchmarks {
			if !u.differs(b) {
				continue
			}
			r := u.row(b)
			r.name = printable.Clean(r.name)
			unit = append(unit, r)
			for i, text := range []string{r.name, r.old, r.new} {
				columns[i] = max(columns[i], lipgloss.Width(text))
			}
		}
		rows = append(rows, unit)
	}
	const delta = 26 // "-12.30% (p=0.002 n=10+10)"
	columns[0] = min(columns[0], max(20, width-4-columns[1]-columns[2]-6-delta))
	for i, u := range units {
		if len(rows[i]) == 0 {
			continue
		}
		fmt.Fprintf(w, "  %s\n", present.Faint.Render(fmt.Sprintf("%-*s   %*s   %*s   vs old", columns[0]+2, u.name,
			columns[1],
			"old", columns[2], "new")))
		for _, r := range rows[i] {
			name := r.name
			if lipgloss.Width(name) > columns[0] { // the name gets a line of its own
				fmt.Fprint(w, present.Indent(4, name, width))
				name = ""
			}
			fmt.Fprintf(w, "    %s   %s   %s   %s\n", name+pad(name, columns[0]), pad(r.old, columns[1])+r.old,
				pad(r.new, columns[2])+r.new, r.delta)
		}
	}
	if slices.ContainsFunc(rows, func(unit []row) bool { return len(unit) > 0 }) {
		fmt.Fprintln(w)
	}
}

// timed reports whether both sides have samples of the time.
func timed(b compare.Benchmark) bool { return b.Ns.Old.N > 0 }

func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

func exactRow(name string, e compare.Exact, format func(float64) string) (r struct{ name, old, new, delta string }) {
	r.name, r.old, r.new, r.delta = name, format(e.Old), format(e.New), e.Change()
	switch {
	case e.New > e.Old:
		r.delta = present.Bad.Render(r.delta)
	case e.New < e.Old:
		r.delta = present.Good.Render(r.delta)
	}
	return r
}

func sample(s compare.Sample) string {
	return verdict.FormatTime(s.Median) + " ± " + s.Range
}
