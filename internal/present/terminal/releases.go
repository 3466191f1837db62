package terminal

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

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
			cell := "–"
			if b := benchmarkNamed(v, name); b != nil {
				cell = verdict.FormatCount(b.AllocsPerOp) + " · " + verdict.FormatBytes(b.BytesPerOp)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	text := table(rows, width)
	if lipgloss.Width(text) > width {
		var long [][]string
		for _, row := range rows[1:] {
			for i, cell := range row[1:] {
				long = append(long, []string{row[0], header[i+1], cell})
				row[0] = "" // once is enough
			}
		}
		text = "  " + header[0] + "\n" + table(long, width)
	}
	fmt.Fprint(w, text)
}

func benchmarkNamed(v *verdict.Verdict, name string) *verdict.Benchmark {
	i := slices.IndexFunc(v.Benchmarks, func(b verdict.Benchmark) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &v.Benchmarks[i]
}

// differs reports whether a line allocates another number of objects, or of bytes, than it did. An estimate changes
// with what other lines allocate, while the bytes are counted.
func differs(was, is verdict.Allocation) bool {
	return verdict.FormatBytes(was.BytesPerOp) != verdict.FormatBytes(is.BytesPerOp) ||
		!was.Shared && !is.Shared && verdict.FormatCount(was.AllocsPerOp) != verdict.FormatCount(is.AllocsPerOp)
}

// A benchmarkLine is a line of source in a benchmark.
type benchmarkLine struct {
	benchmark, file string
	line            int
}

// byBenchmarkLine returns the sum of the allocations of each line. The names of functions do not distinguish them,
// because releases name closures differently.
func byBenchmarkLine(v *verdict.Verdict) map[benchmarkLine]verdict.Allocation {
	sums := map[benchmarkLine]verdict.Allocation{}
	for _, a := range v.Allocations {
		l := benchmarkLine{a.Benchmark, a.File, a.Line}
		sum := sums[l]
		a.AllocsPerOp += sum.AllocsPerOp
		a.BytesPerOp += sum.BytesPerOp
		a.Shared = a.Shared || sum.Shared
		a.Why = cmp.Or(sum.Why, a.Why)
		sums[l] = a
	}
	return sums
}

// differences writes the lines that allocate more or less on one release than on the other, and reports whether there
// are any. Benchmarks that only one of them measured are left out.
func differences(w io.Writer, before, after *verdict.Verdict, width int) bool {
	was, is := byBenchmarkLine(before), byBenchmarkLine(after)
	both := maps.Clone(was)
	maps.Copy(both, is)
	var lines []benchmarkLine
	for l := range both {
		measured := benchmarkNamed(before, l.benchmark) != nil && benchmarkNamed(after, l.benchmark) != nil
		if measured && differs(was[l], is[l]) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return false
	}
	slices.SortFunc(lines, func(a, b benchmarkLine) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line),
			strings.Compare(a.benchmark, b.benchmark))
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
			numberedLine(w, line, cmp.Or(is[p].Code, was[p].Code), width)
		}
		figure := func(a verdict.Allocation) string { return verdict.FormatFigures(a.AllocsPerOp, a.BytesPerOp) }
		why := is[p].Why
		if is[p].AllocsPerOp == 0 {
			why = "no longer: " + was[p].Why
		}
		fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", noteMargin-2),
			faint.Render("╰ ")+heap.Render(figure(was[p])+" → "+figure(is[p])))
		fmt.Fprint(w, indent(noteMargin+4, printable.Clean("in "+p.benchmark+": "+why), width))
	}
	fmt.Fprintln(w)
	return true
}
