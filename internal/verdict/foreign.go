package verdict

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
)

// A Foreign is what was learned of a package that is no exercise.
type Foreign struct {
	ImportPath, Dir  string // Dir is the folder of its files, as the program that was run knows it
	Go, GOOS, GOARCH string
	Files            map[string][]byte // by base name, tests included

	Built bool // false: Problems and Lines say why
	// Diagnostics are the compiler's on its files, named by base name, in the order of the source.
	Diagnostics []escape.Diagnostic
	Problems    []escape.Diagnostic // of a build that failed, with their places
	Lines       []string            // and without
	Stopped     string              // why the build was cut short, "" where it was not

	Run *Run // of the program that measures its benchmarks, nil for none
}

// Explain makes a verdict of it: it passes when it was built and its benchmarks, if it has any, came to their end. Allocations are
// the lines of all its files, Escapes the diagnostics of those that are no tests. An error says that the report is none.
func (f Foreign) Explain() (*Verdict, error) {
	v := Checker{Runner: native{}}.verdict("", f.ImportPath)
	v.Package, v.Go, v.GOOS, v.GOARCH = f.ImportPath, f.Go, f.GOOS, f.GOARCH
	v.Escapes = slices.Clone(f.Diagnostics)
	if v.Escapes == nil {
		v.Escapes = []escape.Diagnostic{}
	}
	p := &Package{Title: f.ImportPath, ImportPath: f.ImportPath, Files: f.Files}
	defer func() {
		v.Escapes = slices.DeleteFunc(v.Escapes, func(d escape.Diagnostic) bool { return strings.HasSuffix(d.File, "_test.go") })
	}()
	if !f.Built {
		v.Stage, v.Errors = StageBuild, f.problems()
		return v, nil
	}
	if f.Run == nil {
		v.Pass = true
		return v, nil
	}
	report, err := wire.Parse(f.Run.Report)
	if err != nil {
		return nil, fmt.Errorf("read the measurement of %s: %w", f.ImportPath, err)
	}
	named := map[string]bool{}
	for i := range report.Benchmarks {
		b := &report.Benchmarks[i]
		if named[b.Name] { // the package and its external test package may each have a benchmark of that name
			b.Name += " (external test)"
		}
		named[b.Name] = true
		f.localize(b.Stacks)
	}
	problem := f.failed(report)
	// What was measured is told also where another benchmark failed.
	measured := report
	measured.Done = true
	measured.Benchmarks = slices.DeleteFunc(slices.Clone(report.Benchmarks), func(b wire.Benchmark) bool { return b.Failed })
	for _, b := range measured.Benchmarks {
		p.benchmarks = append(p.benchmarks, target{name: b.Name})
	}
	v.measure(p, measured, f.Run)
	for i, b := range measured.Benchmarks {
		if len(b.NsSamples) > 0 {
			v.Benchmarks[i].NsSamples, v.Benchmarks[i].NsPerOp = b.NsSamples, median(b.NsSamples)
		}
	}
	v.explain(p)
	for i := range v.Allocations {
		// Most was allocated inside a callee, though the compiler has reasons for the line too.
		if a := &v.Allocations[i]; len(a.Reasons) > 0 && len(a.Callees) > 0 {
			a.Why += "; most of it is allocated inside " + path.Base(a.Callees[0])
		}
	}
	if v.Pass = problem == ""; !v.Pass {
		v.Stage, v.Tests.Output = StageBenchmark, problem
	}
	return v, nil
}

type native struct{ Runner }

func (native) Engine() string { return "native" }

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// problems are why the package was not built.
func (f Foreign) problems() []Problem {
	problems := []Problem{}
	add := func(p Problem) {
		if !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	if f.Stopped != "" {
		add(Problem{Message: "the build " + f.Stopped})
	}
	for _, d := range f.Problems {
		add(Problem{File: d.File, Line: d.Line, Col: d.Col, Message: d.Message})
	}
	for _, line := range f.Lines {
		if line = strings.TrimSpace(line); line != "" {
			add(Problem{Message: line})
		}
	}
	if len(problems) == 0 {
		add(Problem{Message: "the build failed without saying why"})
	}
	return problems
}

// failed says what kept the benchmarks from coming to their end, "" for nothing.
func (f Foreign) failed(r wire.Report) string {
	var names []string
	for _, b := range r.Benchmarks {
		if b.Failed {
			names = append(names, b.Name)
		}
	}
	output := "\n" + shorten(withoutVerdict(f.Run.Output))
	running := "the program"
	if r.Running != "" {
		running = r.Running
	}
	switch {
	case f.Run.Stopped != "":
		return running + " did not come to an end: the program " + f.Run.Stopped + output
	case !r.Tested:
		return fmt.Sprintf("the program ended before its benchmarks began (exit code %d): look into TestMain and init%s", f.Run.Exit, output)
	case !r.Done && r.Running != "":
		return fmt.Sprintf("the program ended in %s (exit code %d)%s", r.Running, f.Run.Exit, output)
	case !r.Done:
		return fmt.Sprintf("the program ended before all benchmarks did (exit code %d)%s", f.Run.Exit, output)
	case len(names) > 0:
		return fmt.Sprintf("%s failed%s", strings.Join(names, ", "), output)
	}
	return ""
}

// withoutVerdict is a test program's output without the last line, PASS.
func withoutVerdict(output []byte) []byte {
	text := string(output)
	if text == "PASS\n" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\nPASS\n"))
}

// localize names functions and files as those of a package of the workbook are named: files by their import path, functions
// without what the linker makes of their import path, and those of the external test package as the package's own.
func (f Foreign) localize(stacks []wire.Stack) {
	dir := strings.TrimSuffix(strings.ReplaceAll(f.Dir, `\`, "/"), "/") + "/"
	for _, s := range stacks {
		for i := range s.Frames {
			frame := &s.Frames[i]
			frame.Func = unescape(frame.Func)
			if rest, ok := strings.CutPrefix(frame.Func, f.ImportPath+"_test."); ok {
				frame.Func = f.ImportPath + "." + rest
			}
			file := strings.ReplaceAll(frame.File, `\`, "/")
			if name, ok := strings.CutPrefix(file, dir); ok && !strings.Contains(name, "/") && !harness.Added(name) {
				frame.File = f.ImportPath + "/" + name
			} else if path.Dir(file) != f.ImportPath {
				// Another package's, also where its folder ends like the import path.
				frame.File = "/" + path.Base(file)
			}
		}
	}
}

// unescape takes back the linker's spelling of import paths in symbols: "gopkg.in/yaml%2ev3.Marshal".
func unescape(symbol string) string {
	for from := 0; ; {
		i := strings.IndexByte(symbol[from:], '%')
		if i < 0 || from+i+3 > len(symbol) {
			return symbol
		}
		i += from
		if c, err := strconv.ParseUint(symbol[i+1:i+3], 16, 8); err == nil {
			symbol = symbol[:i] + string([]byte{byte(c)}) + symbol[i+3:]
		}
		from = i + 1
	}
}
