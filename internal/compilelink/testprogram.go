package compilelink

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"slices"

	"onthestack/internal/harness"
)

// testDeps is the package through which a test binary of "go test" provides package testing with its dependencies.
const testDeps = "testing/internal/testdeps"

// addTestMain adds the units of a program's tests to the plan: the package with the tests, under the module's name, and
// a main package that runs them.
func (p *Plan) addTestMain(tests unit) {
	main := unit{importPath: "main", module: tests.module + ".test", banner: tests.module + ".test",
		language: tests.language, dir: "testmain", files: []string{"main.go"}}
	tests.importPath, tests.banner = tests.module, tests.module+" ["+main.module+"]"
	p.files = maps.Clone(p.files)
	p.files["testmain/main.go"] = testMain(p.files, tests)
	p.units = []unit{tests, main}
	p.linkFlags = []string{"-X=testing.testBinary=1"}
}

// testMain returns the file of the main package. It runs tests, benchmarks, fuzz tests and examples as the main package
// of "go test" does.
func testMain(files map[string][]byte, tests unit) []byte {
	lists := map[string]*bytes.Buffer{"Test": {}, "Benchmark": {}, "Fuzz": {}, "Example": {}}
	run := "os.Exit(m.Run())"
	name := "_" // the name under which main imports the package; "_" if main does not use it
	var parsed []*ast.File
	for _, file := range tests.files {
		if !isTestFile(file) {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, files[file],
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
`, testDeps, name, tests.module, lists["Test"], lists["Benchmark"], lists["Fuzz"], lists["Example"], run)
}

func isTestMain(decl ast.Decl) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "TestMain"
}
