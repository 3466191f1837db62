package budget

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// Check compares the directives of one package with its verdict. It returns a finding for each directive that does not
// hold or could not be checked, and notes on directives that hold, in the order of the directives. If all directives
// are noescape, a verdict without measurements is enough (see Benchmarks).
func Check(directives []Directive, v *verdict.Verdict) []Finding {
	var found []Finding
	for i := range directives {
		d := &directives[i]
		switch {
		case v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild:
			found = append(found, notBuilt(d, v, i == 0))
		case d.NoEscape():
			found = append(found, d.checkLine(v)...)
		default:
			found = append(found, d.checkBenchmark(v)...)
		}
	}
	// If several benchmarks were not measured for the same reason, the first finding is enough.
	if i := slices.IndexFunc(found, func(f Finding) bool { return f.Kind == Unchecked && f.Benchmark != "" }); i >= 0 {
		found[i].Because = printed(v.Tests.Output)
	}
	return found
}

// Limits on the output of a program in a finding, in lines and in characters of each. The first lines are kept.
const (
	maxPrinted = 5
	maxLine    = 200
)

func printed(output string) []Place {
	places := []Place{}
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line == "" || len(places) == maxPrinted {
			continue
		}
		places = append(places, Place{Message: present.Shorten(line, maxLine)})
	}
	return places
}

// Benchmarks returns the pattern with which "go test -bench" runs the benchmarks that the directives limit, "" if they
// limit none.
func Benchmarks(directives []Directive) string {
	var names []string
	for _, d := range directives {
		if !d.NoEscape() {
			names = append(names, d.Benchmark)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}

func (d *Directive) finding(kind Kind, format string, args ...any) Finding {
	return Finding{Kind: kind, File: d.File, Line: d.Line, Col: d.Col, Directive: d.Text, DirectiveLine: d.Line,
		Message: fmt.Sprintf(format, args...), Because: []Place{}}
}

// pathOf returns the path, relative to the same folder as d.File, of a file of the package, which the verdict calls by
// its base name. A file of another package keeps the name that the compiler printed.
func (d *Directive) pathOf(file string) string {
	if file == "" || strings.ContainsAny(file, `/\<`) {
		return file
	}
	return filepath.Join(filepath.Dir(d.File), file)
}

// notBuilt returns the finding on a directive of a package that does not build. Only that on the first directive has
// the reason.
func notBuilt(d *Directive, v *verdict.Verdict, first bool) Finding {
	f := d.finding(Unchecked, "not checked: the package does not build")
	if !first {
		return f
	}
	for _, p := range v.Errors {
		f.Because = append(f.Because, Place{File: d.pathOf(p.File), Line: p.Line,
			Message: strings.Join(strings.Fields(p.Message), " ")})
	}
	return f
}

// checkLine compares a noescape directive with the escape report on its line.
func (d *Directive) checkLine(v *verdict.Verdict) []Finding {
	var found []Finding
	spoken := d.body == nil
	for _, e := range v.Escapes {
		if e.File != filepath.Base(d.File) {
			continue
		}
		spoken = spoken || d.body.from <= e.Line && e.Line <= d.body.to
		if e.Line != d.Target || !why.IsHeapDiagnostic(e) {
			continue
		}
		f := d.finding(Escapes, "%s (%s)", escape.Why(e), e.Message)
		f.Line, f.Col = e.Line, e.Col
		for _, step := range escape.Reasons(e) {
			f.Because = append(f.Because, Place{File: d.pathOf(step.File), Line: step.Line, Message: step.Message})
		}
		// The compiler reports generic code once for each set of type arguments.
		if !slices.ContainsFunc(found, func(g Finding) bool { return g.Col == f.Col && g.Message == f.Message }) {
			found = append(found, f)
		}
	}
	switch {
	case !spoken:
		return []Finding{d.finding(Unchecked, "not checked: the compiler reports nothing on %s: a generic function is "+
			"compiled only where its package uses it, and one named _ never", d.body.name)}
	case len(found) > 0:
		return found
	}
	f := d.finding(Note, "nothing on this line escapes, yet it allocates")
	f.Line, f.Col = d.Target, 0
	for _, a := range v.Allocations {
		if a.File == filepath.Base(d.File) && a.Line == d.Target {
			f.Because = append(f.Because, Place{File: d.File, Line: a.Line,
				Message: verdict.FormatFigures(a.AllocsPerOp, a.BytesPerOp) + " in " + a.Benchmark + ": " + a.Why})
		}
	}
	if len(f.Because) == 0 {
		return nil
	}
	return []Finding{f}
}

// checkBenchmark compares a directive's limits with the measurements.
func (d *Directive) checkBenchmark(v *verdict.Verdict) []Finding {
	var found []Finding
	var others []string
	held, ran := false, false
	for _, b := range v.Benchmarks {
		// The package and its external tests may each have a benchmark of that name. The limits apply to both.
		name, sub, _ := strings.Cut(strings.TrimSuffix(b.Name, " (external test)"), "/")
		if name != d.Benchmark {
			continue
		}
		ran = true
		if !d.sub.matches(sub) {
			if sub != "" {
				others = append(others, b.Name)
			}
			continue
		}
		held = true
		if f, over := d.over(b, v); over {
			found = append(found, f)
		}
	}
	skipped, missing := d.notMeasured(v)
	switch {
	case held && (v.Stage == "" || len(v.NotMeasured) > 0 && !missing):
	case skipped != nil:
		found = append(found, d.finding(Unchecked, "not checked: %s was skipped: %s", skipped.Name, skipped.Why))
	case ran && v.Stage == "" && len(others) == 0:
		found = append(found, d.finding(Unchecked, "not checked: %s has no sub-benchmarks, but bench=%s selects some",
			d.Benchmark, d.Bench))
	case ran && v.Stage == "":
		found = append(found, d.finding(Unchecked, "not checked: no sub-benchmark of %s matches bench=%s: there are %s",
			d.Benchmark, d.Bench, listSome(others)))
	case !held || d.hasSubs(v):
		// A program that ended early may have measured some sub-benchmarks and not others.
		f := d.finding(Unchecked, "not checked: %s was not measured", d.Benchmark)
		if held {
			f.Message = fmt.Sprintf("not checked completely: the program ended during or after %s", d.Benchmark)
		}
		f.Benchmark = d.Benchmark
		found = append(found, f)
	}
	return found
}

// notMeasured returns a benchmark of d's function that was skipped, nil for none, and whether another one has no
// figures.
func (d *Directive) notMeasured(v *verdict.Verdict) (skipped *verdict.NotMeasured, missing bool) {
	for i, n := range v.NotMeasured {
		if function, _, _ := strings.Cut(n.Name, "/"); function == d.Benchmark {
			if n.Outcome == verdict.Skipped {
				skipped = &v.NotMeasured[i]
			} else {
				missing = true
			}
		}
	}
	return skipped, missing
}

// hasSubs reports whether sub-benchmarks of d's function were measured.
func (d *Directive) hasSubs(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Benchmarks, func(b verdict.Benchmark) bool {
		return strings.HasPrefix(b.Name, d.Benchmark+"/")
	})
}

func listSome(names []string) string {
	const limit = 5
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// over compares unrounded figures, and lists the lines that allocated most.
func (d *Directive) over(b verdict.Benchmark, v *verdict.Verdict) (f Finding, over bool) {
	var parts []string
	exceed := func(measured float64, limit *float64, name, unit string, format func(float64) string) {
		if limit == nil || measured <= *limit {
			return
		}
		text := format(measured)
		if text == format(*limit) { // they differ only in digits that are not shown elsewhere
			text = strconv.FormatFloat(measured, 'g', -1, 64)
		}
		if name == "allocs" {
			unit = verdict.AllocsUnit(text)
		}
		parts = append(parts, fmt.Sprintf("%s %s, budget %s<=%s", text, unit, name,
			strconv.FormatFloat(*limit, 'f', -1, 64)))
	}
	exceed(b.AllocsPerOp, d.Allocs, "allocs", "allocs/op", verdict.FormatCount)
	exceed(b.BytesPerOp, d.Bytes, "bytes", "B/op", verdict.FormatBytes)
	if len(parts) == 0 {
		return f, false
	}
	f = d.finding(Over, "%s: %s", b.Name, strings.Join(parts, "; "))
	f.Benchmark = b.Name
	lines := slices.Clone(v.Allocations)
	if d.Allocs == nil || b.AllocsPerOp <= *d.Allocs {
		slices.SortStableFunc(lines, func(a, b verdict.Allocation) int {
			return cmp.Compare(b.BytesPerOp, a.BytesPerOp)
		})
	}
	for _, a := range lines {
		if a.Benchmark == b.Name {
			f.Because = append(f.Because,
				Place{d.pathOf(a.File), a.Line, verdict.FormatFigures(a.AllocsPerOp, a.BytesPerOp) + ": " + a.Why})
		}
	}
	return f, true
}
