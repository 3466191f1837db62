package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Releases writes verdicts on the same package on several releases of Go: the figures of each benchmark side by side,
// and the lines that differ from the release before.
func Releases(w io.Writer, all []*verdict.Verdict, width int) {
	fmt.Fprintf(w, "%s  %s\n\n", bold.Render(all[0].Package), faint.Render(all[0].GOOS+"/"+all[0].GOARCH))
	var names []string
	for _, v := range all {
		for _, b := range v.Benchmarks {
			if !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
	}
	if len(names) == 0 {
		fmt.Fprintln(w, "  No benchmark was run.")
	} else {
		releaseTable(w, all, names, width)
	}
	fmt.Fprintln(w)
	for _, v := range all {
		if v.Stage == verdict.StageBuild {
			buildErrors(w, v, width)
		} else if !v.Pass {
			benchmarkFailure(w, v, width)
		}
	}
	same := true
	for i := 1; i < len(all); i++ {
		if differences(w, all[i-1], all[i], width) {
			same = false
		}
	}
	if same && len(names) > 0 && len(all) > 1 {
		fmt.Fprintln(w, "  Every line allocates the same on all of these releases.")
	}
}

// releaseTable writes a table with a column for each release, or with a line for each release if the table is too wide.
func releaseTable(w io.Writer, all []*verdict.Verdict, names []string, width int) {
	header := []string{"allocs/op · B/op"}
	for _, v := range all {
		header = append(header, v.Go)
	}
	rows := [][]string{header}
	for _, name := range names {
		row := []string{printable.Clean(name)}
		for _, v := range all {
			row = append(row, figureCell(benchmarkNamed(v, name)))
		}
		rows = append(rows, row)
	}
	if tableWidth(rows) > width {
		rows = rows[:0]
		for _, name := range names {
			for i, v := range all {
				first := ""
				if i == 0 {
					first = printable.Clean(name)
				}
				rows = append(rows, []string{first, v.Go, figureCell(benchmarkNamed(v, name))})
			}
		}
		fmt.Fprintln(w, "  "+header[0])
	}
	table(w, rows, width)
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

// differences writes the lines that allocate more or less on one release than on the other, and reports whether there
// are any. Benchmarks that only one of them measured are left out.
func differences(w io.Writer, before, after *verdict.Verdict, width int) bool {
	was, is := costs(before), costs(after)
	var lines []benchmarkLine
	for _, sums := range []map[benchmarkLine]cost{was, is} {
		for p := range sums {
			measured := benchmarkNamed(before, p.benchmark) != nil && benchmarkNamed(after, p.benchmark) != nil
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
	fmt.Fprintf(w, "  %s\n", bold.Render(before.Go+" → "+after.Go))
	file, line := "", 0
	for _, p := range lines {
		if p.file != file {
			file, line = p.file, 0
			fmt.Fprintf(w, "  %s\n", printable.Clean(p.file))
		}
		if p.line != line {
			line = p.line
			code := is[p].code
			if code == "" {
				code = was[p].code
			}
			numberedLine(w, line, code, width)
		}
		figure := func(s cost) string {
			return verdict.FormatAllocs(s.allocs) + ", " + verdict.FormatBytes(s.bytes) + " B/op"
		}
		why := is[p].why
		if is[p].allocs == 0 {
			why = "no longer: " + was[p].why
		}
		fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", noteMargin-2),
			faint.Render("╰ ")+heap.Render(figure(was[p])+" → "+figure(is[p])))
		fmt.Fprint(w, indent(noteMargin+4, printable.Clean("in "+p.benchmark+": "+why), width))
	}
	fmt.Fprintln(w)
	return true
}
