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

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/harness"
	"onthestack/internal/why"
)

// A Package is a package to build and measure, with its tests.
type Package struct {
	Title      string
	ImportPath string            // in the module "onthestack"
	Files      map[string][]byte // by base name, tests included

	// syntax has the parsed Go files, and parseErrors the errors of the others, both by base name.
	fset        *token.FileSet
	syntax      map[string]*ast.File
	parseErrors map[string]error

	testPackage string
	tests       []string
	benchmarks  []target
	race        bool
	goroutines  bool // whether the solver's code may start some
	exercise    bool // whether the tests are an exercise's own
	// unparsed has the parse errors of files whose policy could not be checked. Any of them fails the check.
	unparsed []Problem

	// valueOf and others are what is known of a package that is no exercise: see UserPackage.
	valueOf func(escape.Diagnostic) (escape.Value, bool)
	others  []*why.Package
}

// parse parses the package's Go files.
func (p *Package) parse() {
	p.fset, p.syntax, p.parseErrors = token.NewFileSet(), map[string]*ast.File{}, map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, name, p.Files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			p.parseErrors[name] = err
			continue
		}
		p.syntax[name] = file
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
		files = append(files, p.syntax[name])
	}
	return files, nil
}

// subject returns the package as package why explains it, with the compiler's report in v.
func (p *Package) subject(v *Verdict) *why.Package {
	return &why.Package{
		ImportPath: p.ImportPath, Files: p.Files, Fset: p.fset, Syntax: p.syntax, Diagnostics: v.Escapes,
		ValueOf: p.valueOf, Names: v.Names, Exercise: p.exercise,
	}
}

// A target is a benchmark function with the allocs/op, B/op and live B/op that it may reach at most; nil is no limit.
type target struct {
	name                string
	allocs, bytes, live *float64
	confirm             []string // the benchmark functions that confirm a pass
	ahead               *float64 // bytes that the code may allocate ahead of the operations; nil for maxAllocatedAhead
}

// confirmations returns the targets of the benchmark functions that confirm a pass. The first measures the live bytes.
func (t target) confirmations() (all []target) {
	for i, name := range t.confirm {
		c := target{name: name, allocs: t.allocs, bytes: t.bytes}
		if i == 0 {
			c.live = t.live
		}
		all = append(all, c)
	}
	return all
}

// NewPackage returns a package with the given files. All their test and benchmark functions are run, but no examples
// and no fuzz targets. No benchmark has a target. An error names the file and the remedy.
func NewPackage(title, importPath string, files map[string][]byte) (*Package, error) {
	p := &Package{Title: title, ImportPath: importPath, Files: files}
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
				p.dir(), p.fset.File(file.Pos()).Name(), pkg, p.testPackage)
		}
		p.testPackage = pkg
		p.tests = append(p.tests, harness.Functions(file, "Test")...)
		for _, b := range harness.Functions(file, "Benchmark") {
			p.benchmarks = append(p.benchmarks, target{name: b})
		}
	}
	if len(p.benchmarks) == 0 {
		return nil, fmt.Errorf("%s: no benchmark function in a _test.go file: write one", p.dir())
	}
	return p, nil
}

// solution returns e with the solver's files in place of the starter's.
func solution(e *exercise.Exercise, edited map[string][]byte) *Package {
	p := &Package{Title: e.Title, ImportPath: e.ImportPath(), Files: maps.Clone(e.Files), testPackage: e.TestPackage,
		tests: e.Tests, race: e.Race, goroutines: e.Goroutines, exercise: true}
	maps.Copy(p.Files, edited)
	for _, b := range e.Benchmarks {
		p.benchmarks = append(p.benchmarks, target{b.Name, &b.Allocs, b.Bytes, b.Live, b.Confirm, b.Ahead})
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
					p.dir(), p.fset.File(file.Pos()).Name(), found[0])
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
		benchmarks = append(benchmarks, harness.Benchmark{Name: b.name, Allocs: b.allocs, Bytes: b.bytes, Live: b.live,
			Confirm: b.confirm})
	}
	files, err := harness.Files(p.dir(), p.testPackage, p.tests, benchmarks)
	if err != nil {
		return execution.Source{}, err
	}
	for name, text := range p.plain().Files {
		if file := p.syntax[path.Base(name)]; file != nil && strings.HasSuffix(name, "_test.go") {
			text = harness.Mark(p.fset, file, text)
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
