package compilelink

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path"
	"slices"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// testDeps is the package through which a test binary of "go test" provides package testing with its dependencies.
const testDeps = "testing/internal/testdeps"

// testProgram makes a plan for a program's root package one for its tests.
func (t Toolchain) testProgram(plan ProgramPlan, tests unit) (_ ProgramPlan, ok bool) {
	if len(tests.files) == 0 || !t.Archives.listed[testDeps] {
		return ProgramPlan{}, false
	}
	plan.tests = true
	plan.unit.importPath = plan.unit.module
	plan.unit.files = slices.Concat(plan.unit.files, tests.files)
	return plan, plan.complete(&plan.unit) && plan.unit.name == "main"
}

// buildTests compiles and links the package with the tests, under the module's name, and a main package that runs them.
func (p ProgramPlan) buildTests(ctx context.Context, m Machine) (execution.ToolResult, error) {
	program := unit{importPath: "main", module: p.unit.module + ".test", language: p.unit.language, dir: "testmain",
		files: []string{"main.go"}}
	s := p.begin(m)
	s.write(path.Join(Source, program.dir, program.files[0]), p.main())
	s.compile(ctx, p.unit, p.unit.module+" ["+program.module+"]")
	s.compile(ctx, program, program.module)
	s.link(ctx, program.module, "-X=testing.testBinary=1")
	return s.result, s.err
}

// main returns the file of the main package. It runs tests, benchmarks, fuzz tests and examples as the main package of
// "go test" does.
func (p ProgramPlan) main() []byte {
	lists := map[string]*bytes.Buffer{"Test": {}, "Benchmark": {}, "Fuzz": {}, "Example": {}}
	run := "os.Exit(m.Run())"
	name := "_" // the name under which main imports the package; "_" if main does not use it
	var parsed []*ast.File
	for _, file := range p.unit.files {
		if !isTestFile(file) {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, p.files[file],
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports the error
		}
		parsed = append(parsed, syntax)
		if slices.ContainsFunc(syntax.Decls, isTestMain) {
			name = "tests"
			run = "tests.TestMain(m)\n\tos.Exit(int(reflect.ValueOf(m).Elem().FieldByName(\"exitCode\").Int()))"
		}
		for prefix, field := range map[string]string{"Test": "F", "Benchmark": "F", "Fuzz": "Fn"} {
			for _, f := range harness.Functions(syntax, prefix) {
				name = "tests"
				fmt.Fprintf(lists[prefix], "\t\t{Name: %q, %s: tests.%s},\n", f, field, f)
			}
		}
	}
	for _, e := range doc.Examples(parsed...) {
		if e.Output != "" || e.EmptyOutput {
			name = "tests"
			f := "Example" + e.Name
			fmt.Fprintf(lists["Example"], "\t\t{Name: %q, F: tests.%s, Output: %q, Unordered: %t},\n",
				f, f, e.Output, e.Unordered)
		}
	}
	return fmt.Appendf(nil, `package main

import (
	"os"
	"reflect"
	"testing"

	%q

	%s %q
)

func main() {
	m := testing.MainStart(testdeps.TestDeps{}, []testing.InternalTest{
%s	}, []testing.InternalBenchmark{
%s	}, []testing.InternalFuzzTarget{
%s	}, []testing.InternalExample{
%s	})
	%s
}

var _ reflect.Value
`, testDeps, name, p.unit.module, lists["Test"], lists["Benchmark"], lists["Fuzz"], lists["Example"], run)
}

func isTestMain(decl ast.Decl) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "TestMain"
}
