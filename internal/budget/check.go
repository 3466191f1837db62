package budget

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// Check holds the directives of one package against its verdict and returns what does not hold, what could not be held,
// and what is worth knowing about those that do, in the order of the directives. A verdict without measurements (see
// Benchmarks) serves where all directives are noescape.
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
	// Of several benchmarks that were not measured, for the same reason, the first tells it.
	if i := slices.IndexFunc(found, func(f Finding) bool { return f.Kind == Unchecked && f.Benchmark != "" }); i >= 0 {
		found[i].Because = printed(v.Tests.Output)
	}
	return found
}

// How many lines of what a program printed a finding keeps, and how many characters of each: the first say most.
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
		if runes := []rune(line); len(runes) > maxLine {
			line = string(runes[:maxLine]) + "…"
		}
		places = append(places, Place{Message: line})
	}
	return places
}

// Benchmarks returns the regular expression that has "go test -bench" run the benchmarks that the directives limit, ""
// where they limit none.
func Benchmarks(directives []Directive) string {
	var names []string
	for _, d := range directives {
		if !d.NoEscape() && !slices.Contains(names, d.Benchmark) {
			names = append(names, d.Benchmark)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}

func (d *Directive) finding(kind Kind, format string, args ...any) Finding {
	return Finding{Kind: kind, File: d.File, Line: d.Line, Col: d.Col, Directive: d.Text, DirectiveLine: d.Line,
		Message: fmt.Sprintf(format, args...), Because: []Place{}}
}

// beside is the name, as d.File is one, of a file of the package, which the verdict calls by its base name. What the
// compiler says of another package's file keeps its name.
func (d *Directive) beside(file string) string {
	if file == "" || strings.ContainsAny(file, `/\<`) {
		return file
	}
	return filepath.Join(filepath.Dir(d.File), file)
}

// base is what the verdict calls the directive's file.
func (d *Directive) base() string { return filepath.Base(d.File) }

// notBuilt tells of a package that does not build; only the first of its directives tells why.
func notBuilt(d *Directive, v *verdict.Verdict, first bool) Finding {
	f := d.finding(Unchecked, "not checked: the package does not build")
	if !first {
		return f
	}
	for _, p := range v.Errors {
		f.Because = append(f.Because, Place{File: d.beside(p.File), Line: p.Line,
			Message: strings.Join(strings.Fields(p.Message), " ")})
	}
	return f
}

// checkLine holds noescape against what the compiler says of the line.
func (d *Directive) checkLine(v *verdict.Verdict) []Finding {
	var found []Finding
	spoken := d.body == nil
	for _, e := range v.Escapes {
		if e.File != d.base() {
			continue
		}
		spoken = spoken || d.body.from <= e.Line && e.Line <= d.body.to
		if e.Line != d.Target || !verdict.Announces(e) {
			continue
		}
		f := d.finding(Escapes, "%s (%s)", escape.Why(e), e.Message)
		f.Line, f.Col = e.Line, e.Col
		for _, step := range escape.Reasons(e) {
			f.Because = append(f.Because, Place{File: d.beside(step.File), Line: step.Line, Message: step.Message})
		}
		// Of generic code the compiler speaks once for each set of types.
		if !slices.ContainsFunc(found, func(g Finding) bool { return g.Col == f.Col && g.Message == f.Message }) {
			found = append(found, f)
		}
	}
	switch {
	case !spoken:
		return []Finding{d.finding(Unchecked, "not checked: the compiler says nothing of %s: a generic function is "+
			"compiled only where its package uses it, and one named _ never", d.body.name)}
	case len(found) > 0:
		return found
	}
	f := d.finding(Note, "nothing that this line makes escapes, yet it allocates")
	f.Line, f.Col = d.Target, 0
	for _, a := range v.Allocations {
		if a.File == d.base() && a.Line == d.Target {
			f.Because = append(f.Because, Place{File: d.File, Line: a.Line, Message: amount(a) + " in " +
				a.Benchmark + ": " + a.Why})
		}
	}
	if len(f.Because) == 0 {
		return nil
	}
	return []Finding{f}
}

// checkBenchmark holds limits against what was measured.
func (d *Directive) checkBenchmark(v *verdict.Verdict) []Finding {
	var found []Finding
	var others []string
	held, ran := false, false
	for _, b := range v.Benchmarks {
		// The package and its external tests may each have a benchmark of that name: both are held.
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
	switch {
	case held && v.Stage == "":
	case ran && v.Stage == "" && len(others) == 0:
		found = append(found, d.finding(Unchecked, "not checked: %s has no sub-benchmarks, and bench=%s asks for some",
			d.Benchmark, d.Bench))
	case ran && v.Stage == "":
		found = append(found, d.finding(Unchecked, "not checked: no sub-benchmark of %s matches bench=%s: there are %s",
			d.Benchmark, d.Bench, someOf(others)))
	case !held || d.hasSubs(v):
		// A program that broke off may have measured some sub-benchmarks and not come to the others.
		f := d.finding(Unchecked, "not checked: %s gave no measurement", d.Benchmark)
		if held {
			f.Message = fmt.Sprintf("not checked to the end: the program broke off while %s ran, or after it", d.Benchmark)
		}
		f.Benchmark = d.Benchmark
		found = append(found, f)
	}
	return found
}

// hasSubs reports whether sub-benchmarks of d's function were measured.
func (d *Directive) hasSubs(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Benchmarks, func(b verdict.Benchmark) bool {
		return strings.HasPrefix(b.Name, d.Benchmark+"/")
	})
}

func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// over compares unrounded figures, and shows the lines that allocated most.
func (d *Directive) over(b verdict.Benchmark, v *verdict.Verdict) (f Finding, over bool) {
	var parts []string
	exceed := func(measured float64, limit *float64, name, unit string, format func(float64) string) {
		if limit == nil || measured <= *limit {
			return
		}
		text := format(measured)
		if text == format(*limit) { // the difference is in digits that nobody reads otherwise
			text = strconv.FormatFloat(measured, 'g', -1, 64)
		}
		if name == "allocs" {
			unit = verdict.AllocsUnit(text)
		}
		parts = append(parts, fmt.Sprintf("%s %s, budget %s<=%s", text, unit, name, strconv.FormatFloat(*limit, 'f', -1, 64)))
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
		slices.SortStableFunc(lines, func(a, b verdict.Allocation) int { return cmp.Compare(b.BytesPerOp, a.BytesPerOp) })
	}
	for _, a := range lines {
		if a.Benchmark == b.Name {
			f.Because = append(f.Because, Place{File: d.beside(a.File), Line: a.Line, Message: amount(a) + ": " + a.Why})
		}
	}
	return f, true
}

// amount is "1 alloc/op, 48 B/op".
func amount(a verdict.Allocation) string {
	return fmt.Sprintf("%s, %s B/op", verdict.FormatAllocs(a.AllocsPerOp), verdict.FormatBytes(a.BytesPerOp))
}
