package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/verdict"
)

// ComparisonMarkdown writes what changed between two verdicts as tables for a pull request. An error is w's.
func ComparisonMarkdown(w io.Writer, c *compare.Comparison) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Allocations of %s\n\n%s → %s: %s\n\n", code(c.Package, maxCode), code(c.Old.Label, maxCode),
		code(c.New.Label, maxCode), prose(c.Summary()))
	if len(c.Benchmarks) > 0 {
		fmt.Fprint(b, "| benchmark | ns/op | allocs/op | B/op |\n|---|---:|---:|---:|\n")
		for _, m := range c.Benchmarks {
			fmt.Fprintf(b, "| %s | %s → %s, %s (%s) | %s | %s |\n", code(m.Name, maxCode), sample(m.Ns.Old),
				sample(m.Ns.New), prose(m.Ns.Delta), m.Ns.Confidence(), exactCell(m.Allocs, verdict.FormatCount),
				exactCell(m.Bytes, verdict.FormatBytes))
		}
		fmt.Fprintln(b)
	}
	if len(c.Lines) > 0 {
		fmt.Fprint(b, "| change | line | allocs/op | B/op | why |\n|---|---|---:|---:|---|\n")
		for _, l := range c.Lines {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", l.Kind, placesCell(&l),
				compare.FormatStep(l.Old.AllocsPerOp, l.New.AllocsPerOp, verdict.FormatCount),
				compare.FormatStep(l.Old.BytesPerOp, l.New.BytesPerOp, verdict.FormatBytes),
				whyCell(&l, len(c.Benchmarks) > 1))
		}
		fmt.Fprintln(b)
	}
	for _, note := range c.Remarks() {
		fmt.Fprintf(b, "- %s\n", prose(note))
	}
	return b.Flush()
}

// exactCell returns "3 → 2, -33.33%", or the figure alone if it did not change.
func exactCell(e compare.Exact, format func(float64) string) string {
	if e.Old == e.New {
		return format(e.New)
	}
	return fmt.Sprintf("%s → %s, %s", format(e.Old), format(e.New), prose(e.Change()))
}

// placesCell returns the line's position, or the old one if it is gone, with its text. For a line that was edited,
// split or joined it returns both sides.
func placesCell(l *compare.Line) string {
	var parts []string
	add := func(sign string, places []compare.Place) {
		for _, p := range places {
			parts = append(parts, sign+code(position(p.File, p.Line), maxCode)+" "+code(p.Code, maxCode))
		}
	}
	switch {
	case len(l.New.Places) == 0:
		add("", l.Old.Places)
	case !l.Edited():
		add("", l.New.Places)
	default:
		add("− ", l.Old.Places)
		add("+ ", l.New.Places)
	}
	return strings.Join(parts, "<br>")
}

func whyCell(l *compare.Line, nameBenchmark bool) string {
	text := prose(l.New.Why)
	switch {
	case l.Kind == compare.Stopped:
		text = "was: " + prose(l.Old.Why)
	case l.ReasonChanged:
		was, is := l.Reasons()
		text = prose(is) + "<br>was: " + prose(was)
	}
	if nameBenchmark {
		text += " (" + code(l.Benchmark, maxCode) + ")"
	}
	return text
}
