package expand

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// A figure is a measured number, or the Go release that it was measured on, formatted for a reader.
type figure struct {
	text string
	on   string // where it was measured
}

// span returns the figure as HTML, with a title that says how it was measured.
func (f figure) span() string {
	return fmt.Sprintf(`<span class="ots-figure" title="measured: %s">%s</span>`, html.EscapeString(f.on),
		html.EscapeString(f.text))
}

func optional(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// figure returns a figure of a listing on today's Go or on an older release, or of an exercise's starter.
func (x *expander) figure(args []string) (figure, error) {
	name, release, older := strings.Cut(args[0], "@")
	if older && release == "" {
		return figure{}, fmt.Errorf("%s names no release: write it as %s@go1.8", args[0], name)
	}
	find, names := x.before, "allocs, bytes and go"
	if !older && isListing(name) {
		find, names = x.today, "allocs, bytes, ns and go"
	}
	figures, err := find(name, release, optional(args, 2))
	if f, ok := figures[args[1]]; ok {
		return f, nil
	}
	if err != nil {
		return figure{}, err
	}
	return figure{}, fmt.Errorf("no figure %q: there are %s", args[1], names)
}

// isListing tells the folder of a listing from the name of an exercise.
func isListing(name string) bool { return strings.Contains(name, "/") }

// today returns the figures of a listing's benchmark on today's Go. The release needs no benchmark, so it is returned
// even with the error of one that cannot be found.
func (x *expander) today(listing, _, benchmark string) (map[string]figure, error) {
	l, err := x.measured(listing)
	if err != nil {
		return nil, err
	}
	on := l.Verdict.Go + " " + l.Platform()
	figures := map[string]figure{"go": {Release(l.Verdict.Go), on}}
	b, err := l.Benchmark(benchmark)
	if err == nil {
		counted := fmt.Sprintf("%s, %d operations", on, b.N)
		figures["allocs"] = figure{verdict.FormatCount(b.AllocsPerOp), counted}
		figures["bytes"] = figure{verdict.FormatBytes(b.BytesPerOp), counted}
		timed := fmt.Sprintf("%s, median of %d runs", on, len(l.Timing.Samples[b.Name]))
		figures["ns"] = figure{verdict.FormatTime(b.NsPerOp), timed}
	}
	return figures, err
}

// before is today for a listing on an older release, or for the starter of an exercise if the release is "".
func (x *expander) before(name, release, benchmark string) (map[string]figure, error) {
	find := x.onRelease
	if release == "" {
		find = x.starter
	}
	m, err := find(name, release)
	if err != nil {
		return nil, err
	}
	on := strings.TrimSpace(m.Go + " " + m.Platform)
	figures := map[string]figure{"go": {Release(m.Go), on}}
	b, err := m.Benchmark(benchmark)
	if err != nil {
		return figures, fmt.Errorf("%s: %w", name, err)
	}
	figures["allocs"] = figure{verdict.FormatCount(b.AllocsPerOp), on}
	figures["bytes"] = figure{verdict.FormatBytes(b.BytesPerOp), on}
	return figures, nil
}

// alpha is the probability at which two times count as different.
const alpha = 0.05

// table compares benchmarks with the first row or, if several listings have several benchmarks, with the benchmark of
// the same name in the first listing. allocs/op and B/op are exact; times are compared as samples.
func (x *expander) table(args []string) (string, error) {
	type row struct {
		label string
		*verdict.Benchmark
		l *bookdata.MeasuredListing
	}
	var rows []row
	for _, name := range args {
		l, err := x.measured(name)
		if err != nil {
			return "", err
		}
		for i := range l.Verdict.Benchmarks {
			b := &l.Verdict.Benchmarks[i]
			label := path.Base(name)
			if len(l.Verdict.Benchmarks) > 1 {
				label += " " + b.Name
			}
			if len(l.Timing.Samples[b.Name]) == 0 {
				return "", fmt.Errorf("%s of %s is not timed: run \"make measure\"", b.Name, name)
			}
			rows = append(rows, row{label, b, l})
		}
	}
	var t strings.Builder
	t.WriteString("| | allocs/op | B/op | ns/op |\n|---|---:|---:|---:|\n")
	first := rows[0]
	// With several listings of several benchmarks each, a benchmark is compared with its namesake in the first listing.
	byName := len(args) > 1 && len(first.l.Verdict.Benchmarks) > 1
	for i, r := range rows {
		if r.l.Timing.Session != first.l.Timing.Session {
			return "", fmt.Errorf("%s and %s were not timed in one session: run \"make measure\"", args[0], r.l.Listing)
		}
		allocs, bytes, ns := verdict.FormatCount(r.AllocsPerOp), verdict.FormatBytes(r.BytesPerOp),
			verdict.FormatTime(r.NsPerOp)
		base := 0
		if byName {
			base = slices.IndexFunc(rows, func(b row) bool { return b.l == first.l && b.Name == r.Name })
		}
		if base >= 0 && base != i {
			from := rows[base]
			allocs += change(from.AllocsPerOp, r.AllocsPerOp)
			bytes += change(from.BytesPerOp, r.BytesPerOp)
			difference := benchmath.AssumeNothing.Compare(from.l.Timing.Sample(from.Name), r.l.Timing.Sample(r.Name))
			if difference.P > alpha {
				ns += " (~)"
			} else {
				ns += change(from.NsPerOp, r.NsPerOp)
			}
		}
		fmt.Fprintf(&t, "| `%s` | %s | %s | %s |\n", r.label, allocs, bytes, ns)
	}
	v := first.l.Verdict
	fmt.Fprintf(&t, "\n<p class=\"ots-caption\">%s, %s. ns/op: median of %d runs%s</p>\n", Release(v.Go),
		first.l.Platform(),
		len(first.l.Timing.Samples[first.Name]), legend(len(rows), byName))
	return t.String(), nil
}

func legend(rows int, byName bool) string {
	switch {
	case rows == 1:
		return "."
	case byName:
		return "; in brackets the change against the same benchmark of the first program, ~ where the runs show none."
	}
	return "; in brackets the change against the first row, ~ where the runs show none."
}

// change returns the change in percent, formatted for a cell, or "" if there is none.
func change(from, to float64) string {
	switch {
	case from == to:
		return ""
	case from == 0:
		return " (more)"
	}
	percent := (to - from) / from * 100
	sign := "+"
	if percent < 0 {
		sign, percent = "−", -percent
	}
	decimals := 0
	if to != 0 && percent >= 99.5 && percent < 100 {
		decimals = 1 // something is left
	}
	return fmt.Sprintf(" (%s%.*f%%)", sign, decimals, percent)
}

// classroom returns a figure of the simulated class, as runner/load measured it.
func (x *expander) classroom(args []string) (figure, error) {
	classes, err := bookdata.ReadClassrooms(x.book.Files)
	if err != nil {
		return figure{}, err
	}
	engine, kind, name := args[0], "", args[1]
	if len(args) == 3 {
		kind, name = args[1], args[2]
	}
	text, err := classes.Figure(engine, kind, name)
	if err != nil {
		return figure{}, err
	}
	class := classes[engine]
	return figure{text, fmt.Sprintf("%s %s, %d cores", class.Go, class.Platform, class.Cores)}, nil
}

// gctraceData is what a page knows of the runs of a program under several settings of the collector.
type gctraceData struct {
	Runs []bookdata.GCRun `json:"runs"`
}

// gctrace shows a measured line of gctrace, or the runs under all settings, which the page shows by two sliders.
func (x *expander) gctrace(args []string) (string, error) {
	t, err := bookdata.ReadGCTrace(x.book.Files)
	if err != nil {
		return "", err
	}
	switch args[0] {
	case "line":
		return fence("text", t.Line), nil
	case "runs":
		return block("gctrace", struct {
			*bookdata.GCTrace
			Data gctraceData
		}{t, gctraceData{t.Runs}})
	}
	return "", fmt.Errorf("no part %q: there are line and runs", args[0])
}
