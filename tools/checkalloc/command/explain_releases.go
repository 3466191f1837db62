package command

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// releases prints the figures of each benchmark side by side, and the lines that differ from the release before.
func (c console) releases(all []*explanation) {
	fmt.Fprintf(
		c.Out,
		"%s  %s\n\n",
		bold.Render(all[0].verdict.Package),
		faint.Render(all[0].verdict.GOOS+"/"+all[0].verdict.GOARCH),
	)
	var names []string
	for _, e := range all {
		for _, b := range e.verdict.Benchmarks {
			if !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
	}
	if len(names) == 0 {
		fmt.Fprintln(c.Out, "  No benchmark was run.")
	} else {
		c.sideBySide(all, names)
	}
	fmt.Fprintln(c.Out)
	for _, e := range all {
		if v := e.verdict; v.Stage == verdict.StageBuild {
			c.buildErrors(v)
		} else if !v.Pass {
			c.benchmarkFailure(v)
		}
	}
	same := true
	for i := 1; i < len(all); i++ {
		if c.differences(all[i-1], all[i]) {
			same = false
		}
	}
	if same && len(names) > 0 && len(all) > 1 {
		fmt.Fprintln(c.Out, "  Every line allocates the same on all of these releases.")
	}
}

// sideBySide prints a table with a column for each release, or with a line for each release if the table is too wide.
func (c console) sideBySide(all []*explanation, names []string) {
	header := []string{"allocs/op · B/op"}
	for _, e := range all {
		header = append(header, e.verdict.Go)
	}
	rows := [][]string{header}
	for _, name := range names {
		row := []string{printable.Clean(name)}
		for _, e := range all {
			row = append(row, figureCell(benchmarkNamed(e.verdict, name)))
		}
		rows = append(rows, row)
	}
	if tableWidth(rows) > c.Width {
		rows = rows[:0]
		for _, name := range names {
			for i, e := range all {
				first := ""
				if i == 0 {
					first = printable.Clean(name)
				}
				rows = append(rows, []string{first, e.verdict.Go, figureCell(benchmarkNamed(e.verdict, name))})
			}
		}
		fmt.Fprintln(c.Out, "  "+header[0])
	}
	c.table(rows)
}

// figureCell returns what a benchmark allocates, as a cell of the table.
func figureCell(b *verdict.Benchmark) string {
	if b == nil {
		return "–"
	}
	return verdict.FormatCount(b.AllocsPerOp) + " · " + verdict.FormatBytes(b.BytesPerOp)
}

func benchmarkNamed(v *verdict.Verdict, name string) *verdict.Benchmark {
	i := slices.IndexFunc(v.Benchmarks, func(b verdict.Benchmark) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &v.Benchmarks[i]
}

// A cost is what a line allocates in a benchmark.
type cost struct {
	allocs, bytes float64
	shared        bool // allocs is an estimate; see verdict.Allocation
	why, code     string
}

// differs reports whether a line allocates another number of objects, or of bytes, than it did. An estimate changes
// with what other lines allocate, while the bytes are counted.
func (c cost) differs(was cost) bool {
	return verdict.FormatBytes(was.bytes) != verdict.FormatBytes(c.bytes) ||
		!was.shared && !c.shared && verdict.FormatCount(was.allocs) != verdict.FormatCount(c.allocs)
}

// A benchmarkLine is a line of source in a benchmark.
type benchmarkLine struct {
	benchmark, file string
	line            int
}

// costs returns the sums of the allocations of each line. The names of functions are left out, because releases name
// closures differently.
func costs(v *verdict.Verdict) map[benchmarkLine]cost {
	sums := map[benchmarkLine]cost{}
	for _, a := range v.Allocations {
		p := benchmarkLine{a.Benchmark, a.File, a.Line}
		s := sums[p]
		s.allocs, s.bytes, s.code = s.allocs+a.AllocsPerOp, s.bytes+a.BytesPerOp, a.Code
		s.shared = s.shared || a.Shared
		if s.why == "" {
			s.why = a.Why
		}
		sums[p] = s
	}
	return sums
}

// differences prints the lines that allocate more or less on one release than on the other, and reports whether there
// are any. Benchmarks that only one of them measured are left out.
func (c console) differences(before, after *explanation) bool {
	was, is := costs(before.verdict), costs(after.verdict)
	var lines []benchmarkLine
	for _, sums := range []map[benchmarkLine]cost{was, is} {
		for p := range sums {
			measured := benchmarkNamed(before.verdict, p.benchmark) != nil && benchmarkNamed(after.verdict,
				p.benchmark) != nil
			if is[p].differs(was[p]) && measured && !slices.Contains(lines, p) {
				lines = append(lines, p)
			}
		}
	}
	if len(lines) == 0 {
		return false
	}
	slices.SortFunc(lines, func(a, b benchmarkLine) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.benchmark, b.benchmark)
	})
	fmt.Fprintf(c.Out, "  %s\n", bold.Render(before.verdict.Go+" → "+after.verdict.Go))
	file, line := "", 0
	for _, p := range lines {
		if p.file != file {
			file, line = p.file, 0
			fmt.Fprintf(c.Out, "  %s\n", printable.Clean(p.file))
		}
		if p.line != line {
			line = p.line
			code := is[p].code
			if code == "" {
				code = was[p].code
			}
			c.sourceLine(line, code)
		}
		figure := func(s cost) string {
			return verdict.FormatAllocs(s.allocs) + ", " + verdict.FormatBytes(s.bytes) + " B/op"
		}
		why := is[p].why
		if is[p].allocs == 0 {
			why = "no longer: " + was[p].why
		}
		fmt.Fprintf(
			c.Out,
			"%s%s\n",
			strings.Repeat(" ", noteColumn-2),
			faint.Render("╰ ")+warm.Render(figure(was[p])+" → "+figure(is[p])),
		)
		c.wrapped(noteColumn+4, printable.Clean("in "+p.benchmark+": "+why))
	}
	fmt.Fprintln(c.Out)
	return true
}
