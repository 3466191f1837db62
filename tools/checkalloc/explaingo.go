package main

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// showReleases writes the figures of each benchmark side by side, and which lines differ from the release before.
func (c *command) showReleases(all []*explanation) {
	fmt.Fprintf(c.out, "%s  %s\n\n", bold.Render(all[0].verdict.Package), faint.Render(all[0].verdict.GOOS+"/"+all[0].verdict.GOARCH))
	var names []string
	for _, e := range all {
		for _, b := range e.verdict.Benchmarks {
			if !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
	}
	if len(names) == 0 {
		fmt.Fprintln(c.out, "  No benchmark was run.")
	} else {
		c.sideBySide(all, names)
	}
	fmt.Fprintln(c.out)
	for _, e := range all {
		if v := e.verdict; v.Stage == verdict.StageBuild {
			c.showProblems(v)
		} else if !v.Pass {
			c.showFailure(v)
		}
	}
	same := true
	for i := 1; i < len(all); i++ {
		if c.showDifference(all[i-1], all[i]) {
			same = false
		}
	}
	if same && len(names) > 0 && len(all) > 1 {
		fmt.Fprintln(c.out, "  No line allocates otherwise on one release than on another.")
	}
}

// sideBySide writes a table of benchmarks and releases; where that is too wide, a release a line.
func (c *command) sideBySide(all []*explanation, names []string) {
	head := []string{"allocs/op · B/op"}
	for _, e := range all {
		head = append(head, e.verdict.Go)
	}
	rows := [][]string{head}
	for _, name := range names {
		row := []string{printable.Clean(name)}
		for _, e := range all {
			row = append(row, figureCell(benchmarkNamed(e.verdict, name)))
		}
		rows = append(rows, row)
	}
	if tableWidth(rows) > c.width {
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
		fmt.Fprintln(c.out, "  "+head[0])
	}
	c.table(rows)
}

// figureCell is what a benchmark allocates.
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

// A spent is what a line allocates in a benchmark.
type spent struct {
	allocs, bytes float64
	why, code     string
}

type place struct {
	benchmark, file string
	line            int
}

// spend sums allocations by their place: functions are named otherwise from one release to another.
func spend(v *verdict.Verdict) map[place]spent {
	sums := map[place]spent{}
	for _, a := range v.Allocations {
		p := place{a.Benchmark, a.File, a.Line}
		s := sums[p]
		s.allocs, s.bytes, s.code = s.allocs+a.AllocsPerOp, s.bytes+a.BytesPerOp, a.Code
		if s.why == "" {
			s.why = a.Why
		}
		sums[p] = s
	}
	return sums
}

// showDifference writes the lines that allocate otherwise under one release than under the other, and reports whether there are
// any. Benchmarks that only one of them measured are left out.
func (c *command) showDifference(before, after *explanation) bool {
	was, is := spend(before.verdict), spend(after.verdict)
	var places []place
	for _, sums := range []map[place]spent{was, is} {
		for p := range sums {
			differs := verdict.FormatCount(was[p].allocs) != verdict.FormatCount(is[p].allocs) || verdict.FormatBytes(was[p].bytes) != verdict.FormatBytes(is[p].bytes)
			if differs && !slices.Contains(places, p) && benchmarkNamed(before.verdict, p.benchmark) != nil && benchmarkNamed(after.verdict, p.benchmark) != nil {
				places = append(places, p)
			}
		}
	}
	if len(places) == 0 {
		return false
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.benchmark, b.benchmark)
	})
	fmt.Fprintf(c.out, "  %s\n", bold.Render(before.verdict.Go+" → "+after.verdict.Go))
	file, line := "", 0
	for _, p := range places {
		if p.file != file {
			file, line = p.file, 0
			fmt.Fprintf(c.out, "  %s\n", printable.Clean(p.file))
		}
		if p.line != line {
			line = p.line
			code := is[p].code
			if code == "" {
				code = was[p].code
			}
			c.sourceLine(line, code)
		}
		figure := func(s spent) string {
			return verdict.FormatAllocs(s.allocs) + ", " + verdict.FormatBytes(s.bytes) + " B/op"
		}
		why := is[p].why
		if is[p].allocs == 0 {
			why = "no longer: " + was[p].why
		}
		fmt.Fprintf(c.out, "%s%s\n", strings.Repeat(" ", noteColumn-2), faint.Render("╰ ")+warm.Render(figure(was[p])+" → "+figure(is[p])))
		c.wrapped(noteColumn+4, printable.Clean("in "+p.benchmark+": "+why))
	}
	fmt.Fprintln(c.out)
	return true
}
