package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// The colors are those of package render.
var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	warm  = bold // for values on the heap
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// A console prints explanations and escape reports for a person.
type console struct{ *app.App }

// explanation prints the figures, the source around the lines that allocate, and the faults. It shows at most top
// lines, unless top is 0.
func (c console) explanation(e *explanation, top int) {
	v := e.verdict
	right := fmt.Sprintf("%s %s/%s", v.Go, v.GOOS, v.GOARCH)
	gap := max(2, c.Width-lipgloss.Width(v.Package)-lipgloss.Width(right))
	fmt.Fprintf(c.Out, "%s%s%s\n\n", bold.Render(v.Package), strings.Repeat(" ", gap), faint.Render(right))
	if v.Stage == verdict.StageBuild {
		c.buildErrors(v)
		return
	}
	c.benchmarks(v)
	defer c.notMeasured(v) // after the findings
	switch {
	case len(v.Allocations) > 0:
		c.lines(e, v.Allocations, top, terminal.Allocations)
		c.inside(e, top)
		c.outsideAllocations(v)
	case len(v.Benchmarks) > 0:
		fmt.Fprint(c.Out, "  No line of the package allocates in these benchmarks.\n")
		c.inside(e, top)
		c.outsideAllocations(v)
	case v.Pass:
		fmt.Fprintf(c.Out, "  No benchmark was run. This is the compiler's report.\n\n")
		c.escapes(v.Escapes, e.source, false)
	}
}

// lines prints the source around lines that allocate, at most top of them unless top is 0.
func (c console) lines(
	e *explanation,
	all []verdict.Allocation,
	top int,
	write func(io.Writer, *verdict.Verdict, terminal.Options),
) {
	v := *e.verdict
	shown, less := most(byLine(withoutRare(&v, all)), top)
	v.Allocations, v.Inside = shown, shown
	write(c.Out, &v, terminal.Options{Width: c.Width, Command: c.Program, Source: e.source, Module: e.module})
	if less > 0 {
		c.wrapped(2, fmt.Sprintf("%s less and are not shown.", plural(less, "line", "allocates", "allocate")))
		fmt.Fprintln(c.Out)
	}
}

// inside prints the lines of other packages that allocate for the lines above.
func (c console) inside(e *explanation, top int) {
	if len(withoutRare(e.verdict, e.verdict.Inside)) == 0 {
		return
	}
	c.wrapped(2, bold.Render("Inside other packages")+", as part of the figures above:")
	fmt.Fprintln(c.Out)
	c.lines(e, e.verdict.Inside, top, terminal.Inside)
}

// notMeasured prints which benchmarks have no figures, and the output of those that failed.
func (c console) notMeasured(v *verdict.Verdict) {
	if len(v.NotMeasured) > 0 {
		fmt.Fprintln(c.Out, "  Not measured:")
		for _, n := range v.NotMeasured {
			style := faint
			if n.Outcome == verdict.Failed || n.Outcome == verdict.Stopped {
				style = bad
			}
			c.wrapped(4, printable.Clean(n.Name)+"  "+style.Render(n.Outcome)+": "+printable.Clean(n.Why))
		}
		fmt.Fprintln(c.Out)
	}
	if v.Stage == verdict.StageBenchmark {
		c.benchmarkFailure(v)
	}
}

// benchmarkFailure prints which benchmark failed, and its output.
func (c console) benchmarkFailure(v *verdict.Verdict) {
	first, output, _ := strings.Cut(v.Tests.Output, "\n")
	c.wrapped(2, bad.Render(printable.Clean(v.Go+": "+first)))
	c.quote(output)
	fmt.Fprintln(c.Out)
}

// buildErrors prints why a build failed.
func (c console) buildErrors(v *verdict.Verdict) {
	fmt.Fprintf(c.Out, "  %s\n", bad.Render("it does not build with "+v.Go))
	for i, p := range v.Errors {
		if i == maxProblems {
			fmt.Fprintf(c.Out, "  … %d more\n", len(v.Errors)-i)
			break
		}
		position := ""
		switch {
		case p.File != "" && p.Col > 0:
			position = fmt.Sprintf("%s:%d:%d  ", p.File, p.Line, p.Col)
		case p.File != "":
			position = fmt.Sprintf("%s:%d  ", p.File, p.Line)
		}
		c.wrapped(2, bold.Render(printable.Clean(position))+printable.Clean(p.Message))
	}
}

// The most that is printed of the errors of a build, and of the lines of a program's output.
const (
	maxProblems = 20
	maxLines    = 40
)

// quote prints the beginning and the end of a program's output.
func (c console) quote(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		if len(lines) > maxLines && i >= maxLines*3/4 && i < len(lines)-maxLines/4 {
			if i == maxLines*3/4 {
				fmt.Fprintf(c.Out, "  %s\n", faint.Render(fmt.Sprintf("│ … %d lines", len(lines)-maxLines)))
			}
			continue
		}
		text := []rune(printable.Clean(l))
		if room := 2 * c.Width; len(text) > room {
			text = append(text[:room-1], '…')
		}
		fmt.Fprintf(c.Out, "  %s %s\n", faint.Render("│"), string(text))
	}
}

// benchmarks prints a table of the benchmarks.
func (c console) benchmarks(v *verdict.Verdict) {
	if len(v.Benchmarks) == 0 {
		return
	}
	rows := make([][]string, len(v.Benchmarks))
	for i, b := range v.Benchmarks {
		time := verdict.FormatTime(b.NsPerOp) + " ns/op"
		if n := len(b.NsSamples); n > 1 {
			time += fmt.Sprintf(
				" of %d, %s to %s",
				n,
				verdict.FormatTime(slices.Min(b.NsSamples)),
				verdict.FormatTime(slices.Max(b.NsSamples)),
			)
		}
		allocs := verdict.FormatAllocs(b.AllocsPerOp)
		if verdict.AllocsUnit(verdict.FormatCount(b.AllocsPerOp)) == "alloc/op" {
			allocs += " " // align the numbers: "allocs" is one letter longer
		}
		rows[i] = []string{printable.Clean(b.Name), allocs, verdict.FormatBytes(b.BytesPerOp) + " B/op", time,
			fmt.Sprintf("N = %d", b.N)}
	}
	c.table(rows)
	fmt.Fprintln(c.Out)
}

// columnWidths returns the width of each column of a table.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	return widths
}

// tableWidth returns the width of the longest line that table prints of rows.
func tableWidth(rows [][]string) int {
	width := -1
	for _, w := range columnWidths(rows) {
		width += 3 + w
	}
	return width
}

// table prints rows, the first column aligned to the left and the others to the right. Rows that are too wide have less
// between their columns.
func (c console) table(rows [][]string) {
	widths, gap := columnWidths(rows), "   "
	if tableWidth(rows) > c.Width {
		gap = "  "
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				b.WriteString("  " + cell + blanks)
			} else {
				b.WriteString(gap + blanks + cell)
			}
		}
		fmt.Fprintln(c.Out, strings.TrimRight(b.String(), " "))
	}
}

// mergeClosures adds a line's allocations in closures to those in the function around them, for each benchmark.
func mergeClosures(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		benchmark, pkg, file string
		line                 int
		fn                   string
	}
	indexes := map[key]int{}
	var sums []verdict.Allocation
	for _, a := range allocations {
		k := key{a.Benchmark, a.Package, a.File, a.Line, verdict.Outermost(a.Func)}
		i, known := indexes[k]
		if !known {
			indexes[k] = len(sums)
			sums = append(sums, a)
			continue
		}
		sum := &sums[i]
		sum.AllocsPerOp += a.AllocsPerOp
		sum.BytesPerOp += a.BytesPerOp
		sum.Shared = sum.Shared || a.Shared
		if !strings.Contains(sum.Why, a.Why) {
			sum.Why += "; " + a.Why
		}
	}
	return sums
}

// rare is the part of a benchmark's allocations under which a line with rare allocations is not worth showing.
const rare = 0.001

// withoutRare returns the allocations without lines that allocate less than once in a thousand operations, and next to
// nothing of what the benchmark allocates.
func withoutRare(v *verdict.Verdict, all []verdict.Allocation) []verdict.Allocation {
	total := map[string]verdict.Benchmark{}
	for _, b := range v.Benchmarks {
		total[b.Name] = b
	}
	return slices.DeleteFunc(slices.Clone(all), func(a verdict.Allocation) bool {
		b := total[a.Benchmark]
		return a.AllocsPerOp < rare && a.AllocsPerOp < rare*b.AllocsPerOp && a.BytesPerOp < rare*b.BytesPerOp
	})
}

// most returns the n allocations that allocate most, in their order, and how many others there are. If n is 0, it
// returns all.
func most(lines []verdict.Allocation, n int) (shown []verdict.Allocation, less int) {
	if n == 0 || len(lines) <= n {
		return lines, 0
	}
	allocs := make([]float64, len(lines))
	for i, a := range lines {
		allocs[i] = a.AllocsPerOp
	}
	slices.SortFunc(allocs, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, a := range lines {
		if a.AllocsPerOp >= allocs[n-1] && len(shown) < n {
			shown = append(shown, a)
		}
	}
	return shown, len(lines) - len(shown)
}

// byLine returns one allocation for each line: of the benchmark in which the line allocates most often, with the number
// of benchmarks added to its name. The lines of a function stand together, and the function that allocates most comes
// first.
func byLine(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		pkg, file string
		line      int
		fn        string
	}
	indexes, benchmarks := map[key]int{}, map[key]int{}
	sums := map[key]float64{} // by function, over all benchmarks
	function := func(a verdict.Allocation) key {
		return key{pkg: a.Package, file: a.File, fn: verdict.Outermost(a.Func)}
	}
	var lines []verdict.Allocation
	for _, a := range mergeClosures(allocations) {
		k := key{a.Package, a.File, a.Line, verdict.Outermost(a.Func)}
		i, known := indexes[k]
		benchmarks[k]++
		sums[function(a)] += a.AllocsPerOp
		switch {
		case !known:
			indexes[k] = len(lines)
			lines = append(lines, a)
		case a.AllocsPerOp > lines[i].AllocsPerOp:
			lines[i] = a
		}
	}
	for i, a := range lines {
		if n := benchmarks[key{a.Package, a.File, a.Line, verdict.Outermost(a.Func)}]; n > 1 {
			lines[i].Benchmark += fmt.Sprintf(" (most of %d benchmarks)", n)
		}
	}
	slices.SortStableFunc(lines, func(a, b verdict.Allocation) int {
		fa, fb := function(a), function(b)
		return cmp.Or(cmp.Compare(sums[fb], sums[fa]), strings.Compare(fa.pkg, fb.pkg),
			strings.Compare(fa.file, fb.file), strings.Compare(fa.fn, fb.fn))
	})
	return lines
}

// outsideAllocations prints how much each benchmark allocates that no line of the package accounts for.
func (c console) outsideAllocations(v *verdict.Verdict) {
	any := false
	for _, b := range v.Benchmarks {
		rest := b.AllocsPerOp
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				rest -= a.AllocsPerOp
			}
		}
		if rest*float64(b.N) >= 0.5 && rest > 1e-6*math.Abs(b.AllocsPerOp) {
			c.wrapped(2, fmt.Sprintf("%s: %s with no line of the package on the stack: "+
				"goroutines of other packages made them, or calls too deep for the profile.",
				printable.Clean(b.Name), verdict.FormatAllocs(rest)))
			any = true
		}
	}
	if any {
		fmt.Fprintln(c.Out)
	}
}

// wrapped prints text in lines that begin at column n.
func (c console) wrapped(n int, text string) {
	margin := strings.Repeat(" ", n)
	for l := range strings.SplitSeq(lipgloss.Wrap(text, c.Width-n, " "), "\n") {
		fmt.Fprintln(c.Out, strings.TrimRight(margin+l, " "))
	}
}
