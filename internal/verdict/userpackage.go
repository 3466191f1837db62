package verdict

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
	"onthestack/internal/why"
)

// A UserPackage is the result of building and measuring a package that is not an exercise.
type UserPackage struct {
	ImportPath, Dir  string // Dir is the folder of its files in the program's debug information
	Engine           string // where the benchmarks run, as in a Verdict; "" is "native"
	Go, GOOS, GOARCH string
	Files            map[string][]byte // by base name, tests included

	Built bool // false: Problems and Lines say why
	// Diagnostics are the compiler's diagnostics on its files, which are named by base name, in source order.
	Diagnostics []escape.Diagnostic
	Problems    []escape.Diagnostic // errors of a failed build that name a position
	Lines       []string            // errors of a failed build that name none
	Stop        execution.Stop      // the limit that stopped the build

	// Runs are the runs of the program that measures its benchmarks, none if it has no benchmark. A run after the first
	// has the benchmarks that follow one which ended the run before.
	Runs []Run
	// ValueOf returns what a diagnostic announces by its type, and whether that is known. It may be nil.
	ValueOf func(escape.Diagnostic) (escape.Value, bool)
	// Others are packages whose lines are listed in Verdict.Inside.
	Others []*why.Package
	// Names are the names of packages by import path, as far as they are known.
	Names map[string]string
	// Estimated is as in Verdict.
	Estimated string
	// Selected are the benchmark functions to run, and Interrupted is true if somebody ended the last run.
	Selected    []string
	Interrupted bool
}

// A Run is a run of the program that measures benchmarks, and what it reported.
type Run struct {
	*execution.TestRun
	Measured wire.Report
}

// Explain returns a verdict on the package. The verdict passes if the package was built and all its benchmarks
// finished. Allocations include lines of test files; Escapes do not.
func (u UserPackage) Explain() *Verdict {
	v := newVerdict("", u.ImportPath, cmp.Or(u.Engine, "native"))
	v.Names, v.Estimated = u.Names, u.Estimated
	v.Package, v.Go, v.GOOS, v.GOARCH = u.ImportPath, u.Go, u.GOOS, u.GOARCH
	v.Escapes = append(v.Escapes, u.Diagnostics...)
	escape.MarkStorage(v.Escapes, u.stored())
	escape.NameValues(v.Escapes, u.Files)
	switch {
	case !u.Built:
		v.Stage, v.Errors = StageBuild, u.problems()
	case len(u.Runs) == 0:
		v.Pass = true
	default:
		u.measure(v)
	}
	v.Escapes = slices.DeleteFunc(v.Escapes, func(d escape.Diagnostic) bool {
		return strings.HasSuffix(d.File, "_test.go")
	})
	return v
}

// measure fills in what the runs measured.
func (u UserPackage) measure(v *Verdict) {
	measured, problem := u.measured(v)
	p := &Package{Title: u.ImportPath, others: u.Others,
		Package: why.Package{ImportPath: u.ImportPath, Files: u.Files, ValueOf: u.ValueOf}}
	for _, o := range p.others {
		escape.MarkStorage(o.Diagnostics, why.StoredBy(o.ValueOf))
		escape.NameValues(o.Diagnostics, o.Files)
		o.Names = u.Names
	}
	for _, b := range measured {
		p.benchmarks = append(p.benchmarks, target{Benchmark: harness.Benchmark{Name: b.Name}})
	}
	// Done is true so that what was measured is reported even if another benchmark failed.
	v.measure(p, wire.Report{Benchmarks: measured, Done: true}, u.Runs[len(u.Runs)-1].TestRun)
	for i, b := range measured {
		if len(b.NsSamples) > 0 {
			v.Benchmarks[i].NsSamples, v.Benchmarks[i].NsPerOp = b.NsSamples, Median(b.NsSamples)
		}
	}
	if v.Pass = problem == ""; !v.Pass {
		v.Stage, v.Tests.Output = StageBenchmark, problem
	}
}

// measured returns the measurements of all runs, and fills in NotMeasured. If a benchmark failed or a run did not come
// to its end, problem is the reason.
func (u UserPackage) measured(v *Verdict) (measured []wire.Benchmark, problem string) {
	var problems []string
	named := map[string]bool{}
	for i, run := range u.Runs {
		for _, b := range run.Measured.Benchmarks {
			if b.Failed {
				v.notMeasured(b.Name, Failed, whyFailed(run.Output, b.Name))
				continue
			}
			if named[b.Name] { // the package and its external test package may each have a benchmark of that name
				b.Name += InExternalTest
			}
			named[b.Name] = true
			b.Stacks = u.localized(b.Stacks)
			measured = append(measured, b)
		}
		for _, s := range run.Measured.Skipped {
			v.notMeasured(s.Name, Skipped, cmp.Or(s.Why, "without saying why"))
		}
		interrupted := u.Interrupted && i == len(u.Runs)-1
		if running := run.Measured.Interrupted(); running != "" {
			v.notMeasured(running, Stopped, ended(run.TestRun, interrupted))
		}
		if problem := failed(run.Measured, run.TestRun, interrupted); problem != "" {
			problems = append(problems, problem)
		}
	}
	if !u.Runs[len(u.Runs)-1].Measured.Done {
		v.notRun(u.Selected, named)
	}
	return measured, strings.Join(problems, "\n\n")
}

// stored returns a function that reports the kind of storage of a diagnostic's value.
func (u UserPackage) stored() func(escape.Diagnostic) escape.Storage {
	if u.ValueOf == nil {
		return escape.StoredIn(escape.ParseSource(u.Files))
	}
	return why.StoredBy(u.ValueOf)
}

// InExternalTest follows the name of a benchmark of the external test package if the package has one of that name too.
const InExternalTest = " (external test)"

// AddSample adds a measurement of the benchmark's time in ns/op.
func (b *Benchmark) AddSample(ns float64) {
	b.NsSamples = append(b.NsSamples, ns)
	b.NsPerOp = Median(b.NsSamples)
}

// Median returns the median of figures, of which there is at least one.
func Median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// problems returns the errors of the failed build.
func (u UserPackage) problems() []Problem {
	var found []Problem
	for _, d := range u.Problems {
		found = append(found, Problem{File: d.File, Line: d.Line, Col: d.Col, Message: d.Message})
	}
	return failures("", u.Stop, found, u.Lines)
}

// notMeasured adds a benchmark to the list of benchmarks without figures.
func (v *Verdict) notMeasured(name, outcome, why string) {
	v.NotMeasured = append(v.NotMeasured, NotMeasured{Name: name, Outcome: outcome, Why: why})
}

// notRun adds the selected functions that have neither figures nor a reason, because the run ended before them.
func (v *Verdict) notRun(selected []string, measured map[string]bool) {
	known := map[string]bool{}
	names := slices.Collect(maps.Keys(measured))
	for _, n := range v.NotMeasured {
		names = append(names, n.Name)
	}
	for _, name := range names {
		function, _, _ := strings.Cut(name, "/")
		known[function] = true
	}
	for _, name := range selected {
		if !known[name] {
			v.notMeasured(name, NotRun, "the run ended before it")
		}
	}
}

// whyFailed returns where the reader finds the message of a benchmark that failed, if the program printed one. Messages
// of package testing are indented below the benchmark's name; the message about runtime.Goexit begins with the name.
func whyFailed(output []byte, name string) string {
	failed := false
	for line := range strings.Lines(string(output)) {
		message := failed && line[0] == ' ' || strings.HasPrefix(line, name+" ended its goroutine")
		if failed = strings.TrimSpace(line) == "--- FAIL: "+name; message {
			return "its message is below"
		}
	}
	return "it gave no message: b.FailNow or b.Fail ended it"
}

// deadlock is what the Go runtime prints when no goroutine can run any more.
const deadlock = "fatal error: all goroutines are asleep - deadlock!"

// ended returns how a run ended before its benchmarks did.
func ended(run *execution.TestRun, interrupted bool) string {
	switch {
	case interrupted:
		return "interrupted"
	case run.Stop.Kind != execution.NotStopped:
		return "the program " + run.Stop.String()
	case bytes.Contains(run.Output, []byte(deadlock)):
		return "deadlock: all goroutines wait for each other"
	}
	return fmt.Sprintf("it ended the program (exit code %d)", run.Exit)
}

// failed returns the reason if not all benchmarks of a run finished, "" if they did or somebody ended the run.
func failed(r wire.Report, run *execution.TestRun, interrupted bool) string {
	var names []string
	for _, b := range r.Benchmarks {
		if b.Failed {
			names = append(names, b.Name)
		}
	}
	output := "\n" + shorten(passed.ReplaceAll(run.Output, nil))
	failing := ""
	if len(names) > 0 {
		failing = strings.Join(names, ", ") + " failed" + output
	}
	running := cmp.Or(r.Interrupted(), "the program")
	switch {
	case interrupted:
		return failing
	case run.Stop.Kind != execution.NotStopped:
		return running + " did not come to an end: the program " + run.Stop.String() + output
	case !r.Tested:
		return fmt.Sprintf("the program ended before its benchmarks began (exit code %d): look into TestMain and "+
			"init%s", run.Exit, output)
	case !r.Done && r.Interrupted() != "":
		return fmt.Sprintf("the program ended in %s (exit code %d)%s", running, run.Exit, output)
	case !r.Done:
		return fmt.Sprintf("the program ended before all benchmarks did (exit code %d)%s", run.Exit, output)
	}
	return failing
}

// passed matches the last line of a test program's output.
var passed = regexp.MustCompile(`(^|\n)PASS\n$`)

// localized returns stacks whose functions and files have the names that profile.Fold expects, which the packages of
// the workbook have anyway: files begin with the package's import path, import paths in function names are not escaped,
// and functions of the external test package have the package's own import path.
func (u UserPackage) localized(stacks []wire.Stack) []wire.Stack {
	dir := strings.TrimSuffix(strings.ReplaceAll(u.Dir, `\`, "/"), "/") + "/"
	stacks = slices.Clone(stacks)
	for i := range stacks {
		stacks[i].Frames = slices.Clone(stacks[i].Frames)
		for j := range stacks[i].Frames {
			u.localize(&stacks[i].Frames[j], dir)
		}
	}
	return stacks
}

// localize changes the names in a frame; dir is the package's folder with a slash at its end.
func (u UserPackage) localize(frame *wire.Frame, dir string) {
	frame.Func = profile.Unescape(frame.Func)
	if rest, ok := strings.CutPrefix(frame.Func, u.ImportPath+"_test."); ok {
		frame.Func = u.ImportPath + "." + rest
	}
	file := strings.ReplaceAll(frame.File, `\`, "/")
	if name, ok := strings.CutPrefix(file, dir); ok && !strings.Contains(name, "/") && !harness.Added(name) {
		frame.File = u.ImportPath + "/" + name
	} else if u.Files[file] != nil && strings.HasPrefix(frame.Func, u.ImportPath+".") {
		// The file is named by a //line directive.
		frame.File = u.ImportPath + "/" + file
	} else if path.Dir(file) != u.ImportPath {
		// Another package's file. Its folder might end in the import path, so it is cut off.
		frame.File = "/" + path.Base(file)
	}
}

// Limits on the other packages that are explained: on their number, and on the part of a benchmark's objects that one
// of them allocates.
const (
	maxOthers = 30
	minInside = 0.001
)

// Callees returns the import paths of the wanted packages that allocate for the benchmarks, most objects first. Packages
// that allocate next to nothing are left out.
func (u UserPackage) Callees(wanted func(importPath string) bool) []string {
	most := map[string]float64{} // the largest part in any benchmark
	for _, run := range u.Runs {
		for _, b := range run.Measured.Benchmarks {
			objects := map[string]float64{}
			profile.Callees(objects, b.Stacks, []string{u.ImportPath, u.ImportPath + "_test"}, wanted)
			for pkg, n := range objects {
				most[pkg] = max(most[pkg], n/max(1, b.AllocsPerOp*float64(b.Profiled)))
			}
		}
	}
	var paths []string
	for pkg, part := range most {
		if part >= minInside {
			paths = append(paths, pkg)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(most[b], most[a]), strings.Compare(a, b))
	})
	return paths[:min(len(paths), maxOthers)]
}

// Instantiators returns the import paths of the wanted packages that call generic functions of wanted packages in the
// benchmarks. The compiler's report on a generic function is part of the report on its callers.
func (u UserPackage) Instantiators(wanted func(importPath string) bool) []string {
	paths := map[string]bool{}
	for _, run := range u.Runs {
		for _, b := range run.Measured.Benchmarks {
			profile.Instantiators(paths, b.Stacks, wanted)
		}
	}
	delete(paths, u.ImportPath) // its report is there, with that on its tests
	delete(paths, u.ImportPath+"_test")
	maps.DeleteFunc(paths, func(path string, _ bool) bool { return !wanted(path) })
	return slices.Sorted(maps.Keys(paths))
}
