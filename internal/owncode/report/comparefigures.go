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
)

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
