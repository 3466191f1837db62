package terminal

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Explanation writes a verdict on a package that is no exercise: the figures, the source around the lines that
// allocate, and the faults. It shows at most top lines, unless top is 0.
func Explanation(w io.Writer, v *verdict.Verdict, top int, o Options) {
	head(w, v, o.Width)
	if v.Stage == verdict.StageBuild {
		buildErrors(w, v, o.Width)
		return
	}
	benchmarkTable(w, v, o.Width)
	for _, b := range v.Benchmarks {
		if grows := b.Grows(); grows != "" {
			fmt.Fprintln(w, indent(2, printable.Clean(grows)+".", o.Width))
		}
	}
	if v.Estimated != "" && len(v.Benchmarks) > 0 {
		fmt.Fprintln(w, indent(2, "Objects under 16 bytes are counted by estimate, and timers are found by their names: "+
			printable.Clean(v.Estimated)+".", o.Width))
	}
	defer notMeasured(w, v, o.Width) // after the findings
	switch {
	case len(v.Benchmarks) > 0:
		if len(v.Allocations) == 0 {
			fmt.Fprint(w, "  No line of the package allocates in these benchmarks.\n\n")
		}
		topLines(w, v, v.Allocations, top, o)
		insideOthers(w, v, top, o)
		outsideAllocations(w, v, o.Width)
	case v.Pass:
		fmt.Fprintf(w, "  No benchmark was run. This is the compiler's report.\n\n")
		Escapes(w, v.Escapes, false, o)
	}
}

// topLines writes the source around lines that allocate: at most top of them unless top is 0.
func topLines(w io.Writer, v *verdict.Verdict, all []verdict.Allocation, top int, o Options) {
	shown, less := largest(byLine(withoutRare(v, all)), top)
	allocations(w, v, shown, o)
	if less > 0 {
		fmt.Fprintln(w, indent(2, plural(less, "line", "allocates", "allocate")+" less and are not shown.", o.Width))
	}
}

// insideOthers writes the lines of other packages that allocate for the lines above.
func insideOthers(w io.Writer, v *verdict.Verdict, top int, o Options) {
	if len(withoutRare(v, v.Inside)) == 0 {
		return
	}
	fmt.Fprintln(w, indent(2, bold.Render("Inside other packages")+", as part of the figures above:", o.Width))
	topLines(w, v, v.Inside, top, o)
}

// outsideAllocations writes how much each benchmark allocates that no line of the package accounts for.
func outsideAllocations(w io.Writer, v *verdict.Verdict, width int) {
	any := false
	for _, b := range v.Benchmarks {
		rest := b.AllocsPerOp
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				rest -= a.AllocsPerOp
			}
		}
		if rest*float64(b.N) >= 0.5 && rest > 1e-6*math.Abs(b.AllocsPerOp) {
			fmt.Fprint(w, indent(2, fmt.Sprintf("%s: %s with no line of the package on the stack: "+
				"goroutines of other packages made them, or calls too deep for the profile.",
				printable.Clean(b.Name), verdict.FormatAllocs(rest)), width))
			any = true
		}
	}
	if any {
		fmt.Fprintln(w)
	}
}

// notMeasured writes which benchmarks have no figures, and the output of the benchmarks that failed.
func notMeasured(w io.Writer, v *verdict.Verdict, width int) {
	if len(v.NotMeasured) > 0 {
		fmt.Fprintln(w, "  Not measured:")
		for _, n := range v.NotMeasured {
			style := faint
			if n.Outcome == verdict.Failed || n.Outcome == verdict.Stopped {
				style = bad
			}
			text := printable.Clean(n.Name) + "  " + style.Render(n.Outcome) + ": " + printable.Clean(n.Why)
			fmt.Fprint(w, indent(4, text, width))
		}
		fmt.Fprintln(w)
	}
	if v.Stage == verdict.StageBenchmark {
		benchmarkFailure(w, v, width)
	}
}

// benchmarkFailure writes which benchmark failed, and its output.
func benchmarkFailure(w io.Writer, v *verdict.Verdict, width int) {
	first, output, _ := strings.Cut(v.Tests.Output, "\n")
	fmt.Fprint(w, indent(2, bad.Render(printable.Clean(v.Go+": "+first)), width))
	if strings.TrimSpace(output) != "" { // a benchmark that fails says why at the end
		quote(w, output, maxLines*3/4, maxLines/4, 2*width)
	}
	fmt.Fprintln(w)
}

// buildErrors writes why a build failed.
func buildErrors(w io.Writer, v *verdict.Verdict, width int) {
	fmt.Fprintf(w, "  %s\n", bad.Render("it does not build with "+v.Go))
	for i, p := range v.Errors {
		if i == maxProblems {
			fmt.Fprintf(w, "  … %d more\n", len(v.Errors)-i)
			break
		}
		problem(w, p, width)
	}
}

// The most that is shown of the errors of a build, and of the lines of a benchmark's output.
const (
	maxProblems = 20
	maxLines    = 40
)

// benchmarkTable writes a table of the benchmarks.
func benchmarkTable(w io.Writer, v *verdict.Verdict, width int) {
	if len(v.Benchmarks) == 0 {
		return
	}
	rows := make([][]string, len(v.Benchmarks))
	for i, b := range v.Benchmarks {
		time := verdict.FormatTime(b.NsPerOp) + " ns/op"
		if n := len(b.NsSamples); n > 1 {
			time += fmt.Sprintf(" of %d, %s to %s", n, verdict.FormatTime(slices.Min(b.NsSamples)),
				verdict.FormatTime(slices.Max(b.NsSamples)))
		}
		allocs := verdict.FormatAllocs(b.AllocsPerOp)
		if verdict.AllocsUnit(verdict.FormatCount(b.AllocsPerOp)) == "alloc/op" {
			allocs += " " // align the numbers: "allocs" is one letter longer
		}
		rows[i] = []string{printable.Clean(b.Name), allocs, verdict.FormatBytes(b.BytesPerOp) + " B/op", time,
			fmt.Sprintf("N = %d", b.N)}
	}
	fmt.Fprintln(w, table(rows, width))
}

// Index writes, for each verdict on a package, how many benchmarks the package has, and the one that allocates most.
func Index(w io.Writer, all []*verdict.Verdict, width int) {
	var rows [][]string
	for _, v := range all {
		row := []string{printable.Clean(v.Package), present.Plural(len(v.Benchmarks), "benchmark"), "", ""}
		if n := len(v.NotMeasured); n > 0 {
			row[1] += fmt.Sprintf(", %d not measured", n)
		}
		if v.Stage == verdict.StageBuild {
			row[1] = "does not build"
		}
		if len(v.Benchmarks) > 0 {
			most := slices.MaxFunc(v.Benchmarks, func(a, b verdict.Benchmark) int {
				return cmp.Compare(a.AllocsPerOp, b.AllocsPerOp)
			})
			row[2], row[3] = "at most "+verdict.FormatAllocs(most.AllocsPerOp), printable.Clean(most.Name)
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		fmt.Fprintln(w, table(rows, width))
	}
}
