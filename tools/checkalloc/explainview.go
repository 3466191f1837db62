package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/printable"
	"onthestack/internal/render"
	"onthestack/internal/verdict"
)

// The colors are those of package render.
var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	warm  = bold // what is said of the heap
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// showExplanation writes the figures, the source around what allocates, and what went wrong.
func (c *command) showExplanation(e *explanation) {
	v := e.verdict
	right := fmt.Sprintf("%s %s/%s", v.Go, v.GOOS, v.GOARCH)
	gap := max(2, c.width-lipgloss.Width(v.Package)-lipgloss.Width(right))
	fmt.Fprintf(c.out, "%s%s%s\n\n", bold.Render(v.Package), strings.Repeat(" ", gap), faint.Render(right))
	if v.Stage == verdict.StageBuild {
		c.showProblems(v)
		return
	}
	c.showFigures(v)
	if v.Stage == verdict.StageBenchmark {
		c.showFailure(v)
	}
	switch {
	case len(v.Allocations) > 0:
		lines := *v
		lines.Allocations = byLine(v.Allocations)
		render.Allocations(c.out, &lines, render.Options{Width: c.width, Command: c.self, Source: e.source})
		c.showElsewhere(v)
	case len(v.Benchmarks) > 0:
		fmt.Fprint(c.out, "  No line of the package allocates in these benchmarks.\n")
		c.showElsewhere(v)
	case v.Pass:
		fmt.Fprintf(c.out, "  No benchmark was run: this is what the compiler says.\n\n")
		c.showEscapes(v.Escapes, e.source, false)
	}
}

// showFailure writes which benchmark failed, and what was printed.
func (c *command) showFailure(v *verdict.Verdict) {
	first, output, _ := strings.Cut(v.Tests.Output, "\n")
	c.wrapped(2, bad.Render(printable.Clean(v.Go+": "+first)))
	c.quote(output)
	fmt.Fprintln(c.out)
}

// showProblems writes why a build failed.
func (c *command) showProblems(v *verdict.Verdict) {
	fmt.Fprintf(c.out, "  %s\n", bad.Render("it does not build with "+v.Go))
	for i, p := range v.Errors {
		if i == maxProblems {
			fmt.Fprintf(c.out, "  … %d more\n", len(v.Errors)-i)
			break
		}
		place := ""
		switch {
		case p.File != "" && p.Col > 0:
			place = fmt.Sprintf("%s:%d:%d  ", p.File, p.Line, p.Col)
		case p.File != "":
			place = fmt.Sprintf("%s:%d  ", p.File, p.Line)
		}
		c.wrapped(2, bold.Render(printable.Clean(place))+printable.Clean(p.Message))
	}
}

// What is shown at most, of a build's problems and of a program's lines.
const (
	maxProblems = 20
	maxLines    = 40
)

// quote writes how what a program printed begins and ends.
func (c *command) quote(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		if len(lines) > maxLines && i >= maxLines*3/4 && i < len(lines)-maxLines/4 {
			if i == maxLines*3/4 {
				fmt.Fprintf(c.out, "  %s\n", faint.Render(fmt.Sprintf("│ … %d lines", len(lines)-maxLines)))
			}
			continue
		}
		text := []rune(printable.Clean(l))
		if room := 2 * c.width; len(text) > room {
			text = append(text[:room-1], '…')
		}
		fmt.Fprintf(c.out, "  %s %s\n", faint.Render("│"), string(text))
	}
}

// showFigures writes a table of the benchmarks.
func (c *command) showFigures(v *verdict.Verdict) {
	if len(v.Benchmarks) == 0 {
		return
	}
	rows := make([][]string, len(v.Benchmarks))
	for i, b := range v.Benchmarks {
		time := verdict.FormatTime(b.NsPerOp) + " ns/op"
		if n := len(b.NsSamples); n > 1 {
			time += fmt.Sprintf(" of %d, %s to %s", n, verdict.FormatTime(slices.Min(b.NsSamples)), verdict.FormatTime(slices.Max(b.NsSamples)))
		}
		allocs := verdict.FormatAllocs(b.AllocsPerOp)
		if strings.HasSuffix(allocs, " alloc/op") {
			allocs += " " // align the numbers: "allocs" is one letter longer
		}
		rows[i] = []string{printable.Clean(b.Name), allocs, verdict.FormatBytes(b.BytesPerOp) + " B/op", time}
	}
	c.table(rows)
	fmt.Fprintln(c.out)
}

// columnWidths are the columns that each cell of a table takes.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	return widths
}

// tableWidth is how wide table writes the widest of rows.
func tableWidth(rows [][]string) int {
	width := -1
	for _, w := range columnWidths(rows) {
		width += 3 + w
	}
	return width
}

// table writes rows, the first column to the left and the others to the right.
func (c *command) table(rows [][]string) {
	widths := columnWidths(rows)
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				b.WriteString("  " + cell + blanks)
			} else {
				b.WriteString("   " + blanks + cell)
			}
		}
		fmt.Fprintln(c.out, strings.TrimRight(b.String(), " "))
	}
}

// joined merges a line's allocations in the declared function with those in its closures, for each benchmark.
func joined(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		benchmark, file string
		line            int
		fn              string
	}
	at := map[key]int{}
	var sums []verdict.Allocation
	for _, a := range allocations {
		k := key{a.Benchmark, a.File, a.Line, verdict.Outermost(a.Func)}
		i, known := at[k]
		if !known {
			at[k] = len(sums)
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

// byLine folds allocations of several benchmarks into one for each line: that of the benchmark in which it allocates most often,
// whose name then says of how many. Those of a function stand together, the function that allocates most first.
func byLine(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		file string
		line int
		fn   string
	}
	at, in := map[key]int{}, map[key]int{}
	var lines []verdict.Allocation
	for _, a := range joined(allocations) {
		k := key{a.File, a.Line, verdict.Outermost(a.Func)}
		i, known := at[k]
		in[k]++
		switch {
		case !known:
			at[k] = len(lines)
			lines = append(lines, a)
		case a.AllocsPerOp > lines[i].AllocsPerOp:
			lines[i] = a
		}
	}
	sums := map[key]float64{}
	function := func(a verdict.Allocation) key {
		return key{file: a.File, fn: verdict.Outermost(a.Func)}
	}
	for i, a := range lines {
		sums[function(a)] += a.AllocsPerOp
		if n := in[key{a.File, a.Line, verdict.Outermost(a.Func)}]; n > 1 {
			lines[i].Benchmark += fmt.Sprintf(" (most of %d benchmarks)", n)
		}
	}
	slices.SortStableFunc(lines, func(a, b verdict.Allocation) int {
		fa, fb := function(a), function(b)
		return cmp.Or(cmp.Compare(sums[fb], sums[fa]), strings.Compare(fa.file, fb.file), strings.Compare(fa.fn, fb.fn))
	})
	return lines
}

// showElsewhere says what of a benchmark's allocations no line of the package stands for.
func (c *command) showElsewhere(v *verdict.Verdict) {
	said := false
	for _, b := range v.Benchmarks {
		rest := b.AllocsPerOp
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				rest -= a.AllocsPerOp
			}
		}
		if rest*float64(b.N) >= 0.5 && rest > 1e-6*math.Abs(b.AllocsPerOp) {
			c.wrapped(2, fmt.Sprintf("%s: %s with no line of the package on the stack: goroutines of other packages made them, or calls too deep for the profile.",
				printable.Clean(b.Name), verdict.FormatAllocs(rest)))
			said = true
		}
	}
	if said {
		fmt.Fprintln(c.out)
	}
}

// wrapped writes text from column n on, its further lines too.
func (c *command) wrapped(n int, text string) {
	margin := strings.Repeat(" ", n)
	for l := range strings.SplitSeq(lipgloss.Wrap(text, c.width-n, " "), "\n") {
		fmt.Fprintln(c.out, strings.TrimRight(margin+l, " "))
	}
}
