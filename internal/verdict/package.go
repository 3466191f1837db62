package verdict

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/harness"
	"onthestack/internal/why"
)

// A Package is a package of the module "onthestack" to build and measure, with its tests.
type Package struct {
	// Package has the compiler's report once that is there. Its Exercise is true if the tests are an exercise's own.
	why.Package
	Title       string
	parseErrors map[string]error // of files that are not in Syntax, by base name

	testPackage string
	tests       []string
	benchmarks  []target
	race        bool
	goroutines  bool // whether the solver's code may start some
	// unparsed has the parse errors of files whose policy could not be checked. Any of them fails the check.
	unparsed []Problem

	others []*why.Package // as in UserPackage
}

// parse parses the package's Go files.
func (p *Package) parse() {
	p.Fset, p.Syntax, p.parseErrors = token.NewFileSet(), map[string]*ast.File{}, map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(p.Fset, name, p.Files[name], parser.ParseComments)
		if err != nil {
			p.parseErrors[name] = err
			continue
		}
		p.Syntax[name] = file
	}
}

// testFiles returns the parsed test files in the order of their names. The error is the first file's that does not
// parse.
func (p *Package) testFiles() (files []*ast.File, err error) {
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := p.parseErrors[name]; err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir(), err)
		}
		files = append(files, p.Syntax[name])
	}
	return files, nil
}

// A target is a benchmark function with its targets, and the bytes that the code may allocate ahead of the operations;
// nil for maxAllocatedAhead.
type target struct {
	harness.Benchmark
	ahead *float64
}

// confirmations returns the targets of the benchmark functions that confirm a pass. The first measures the live bytes. A
// limit for memory ahead that is higher than usual holds for them too, and a lower one does not, since it is for the
// benchmark's own inputs.
func (t target) confirmations() (all []target) {
	for i, name := range t.Confirm {
		c := harness.Benchmark{Name: name, Allocs: t.Allocs, Bytes: t.Bytes}
		if i == 0 {
			c.Live = t.Live
		}
		confirmation := target{Benchmark: c}
		if t.ahead != nil && *t.ahead > maxAllocatedAhead {
			confirmation.ahead = t.ahead
		}
		all = append(all, confirmation)
	}
	return all
}

// NewPackage returns a package with the given files. All their test and benchmark functions are run, but no examples
// and no fuzz targets. No benchmark has a target. An error names the file and the remedy.
func NewPackage(title, importPath string, files map[string][]byte) (*Package, error) {
	p := &Package{Title: title, Package: why.Package{ImportPath: importPath, Files: files}}
	if !strings.HasPrefix(importPath, "onthestack/") {
		return nil, fmt.Errorf("%s: only packages of the module onthestack can be measured", importPath)
	}
	p.parse()
	tests, err := p.testFiles()
	if err != nil {
		return nil, err
	}
	for _, file := range tests {
		pkg := file.Name.Name
		if p.testPackage != "" && p.testPackage != pkg {
			return nil, fmt.Errorf("%s/%s: package %s, other tests are in package %s: put all tests into one package",
				p.dir(), p.Fset.File(file.Pos()).Name(), pkg, p.testPackage)
		}
		p.testPackage = pkg
		p.tests = append(p.tests, harness.Functions(file, "Test")...)
		for _, b := range harness.Functions(file, "Benchmark") {
			p.benchmarks = append(p.benchmarks, target{Benchmark: harness.Benchmark{Name: b}})
		}
	}
	if len(p.benchmarks) == 0 {
		return nil, fmt.Errorf("%s: no benchmark function in a _test.go file: write one", p.dir())
	}
	return p, nil
}

// solution returns e with the solver's files in place of the starter's.
func solution(e *exercise.Exercise, edited map[string][]byte) *Package {
	p := &Package{Title: e.Title, testPackage: e.TestPackage, tests: e.Tests, race: e.Race, goroutines: e.Goroutines,
		Package: why.Package{ImportPath: e.ImportPath(), Files: maps.Clone(e.Files), Exercise: true}}
	maps.Copy(p.Files, edited)
	for _, b := range e.Benchmarks {
		targets := harness.Benchmark{Name: b.Name, Allocs: &b.Allocs, Bytes: b.Bytes, Live: b.Live, Confirm: b.Confirm}
		p.benchmarks = append(p.benchmarks, target{targets, b.Ahead})
	}
	return p
}

// onlyTests returns an error if a test file has functions that "go test" runs but a check does not: examples and fuzz
// targets.
func (p *Package) onlyTests() error {
	tests, err := p.testFiles()
	if err != nil {
		return err
	}
	for _, file := range tests {
		for _, prefix := range []string{"Example", "Fuzz"} {
			if found := harness.Functions(file, prefix); len(found) > 0 {
				return fmt.Errorf("%s/%s: func %s: a check runs tests and benchmarks only: turn it into a test",
					p.dir(), p.Fset.File(file.Pos()).Name(), found[0])
			}
		}
	}
	return nil
}

// dir returns the package's folder, slash-separated, relative to the module's root.
func (p *Package) dir() string { return strings.TrimPrefix(p.ImportPath, "onthestack/") }

// main returns the file for which a message without a position is reported.
func (p *Package) main() string {
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if !strings.HasSuffix(name, "_test.go") {
			return name
		}
	}
	return p.dir()
}

// source returns the package's files together with the harness.
func (p *Package) source() (execution.Source, error) {
	var benchmarks []harness.Benchmark
	for _, b := range p.benchmarks {
		benchmarks = append(benchmarks, b.Benchmark)
	}
	files, err := harness.Files(p.dir(), p.testPackage, p.tests, benchmarks)
	if err != nil {
		return execution.Source{}, err
	}
	for name, text := range p.plain().Files {
		if file := p.Syntax[path.Base(name)]; file != nil && strings.HasSuffix(name, "_test.go") {
			text = harness.Mark(p.Fset, file, text)
		}
		files[name] = text
	}
	return execution.Source{Dir: p.dir(), Files: files}, nil
}

// Plain returns an exercise with a solver's files as it is in a clone, without the harness.
func Plain(e *exercise.Exercise, files map[string][]byte) execution.Source {
	return solution(e, files).plain()
}

// plain returns the package's files without the harness.
func (p *Package) plain() execution.Source {
	src := execution.Source{Dir: p.dir(), Files: map[string][]byte{}}
	for name, text := range p.Files {
		src.Files[p.dir()+"/"+name] = text
	}
	return src
}

// Measure builds, tests and measures a package that is not a solution. No policy applies. The verdict passes if the
// tests and benchmarks do. An error means that the measurement could not be made.
func (c Checker) Measure(ctx context.Context, p *Package) (*Verdict, error) {
	v := newVerdict("", p.Title, c.Runner.Engine())
	if err := c.judge(ctx, v, p); err != nil {
		return nil, err
	}
	return v, nil
}
