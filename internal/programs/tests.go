package programs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"onthestack/internal/harness"
)

// declared says what a file of package main declares.
type declared struct {
	main       bool // func main
	tests      bool // tests, benchmarks, fuzz tests, examples or TestMain
	benchmarks bool
}

// scan returns what a file declares: nothing if it does not parse, or is not part of package main.
func scan(text []byte) (found declared) {
	file, err := parser.ParseFile(token.NewFileSet(), File, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.Name.Name != "main" {
		return found
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		name := f.Name.Name
		switch {
		case name == "main":
			found.main = true
		case name == "TestMain" && takes(f, "M"), harness.IsTest(name, "Test") && takes(f, "T"),
			harness.IsTest(name, "Fuzz") && takes(f, "F"):
			found.tests = true
		case harness.IsTest(name, "Benchmark") && takes(f, "B"):
			found.tests, found.benchmarks = true, true
		}
	}
	found.tests = found.tests || len(doc.Examples(file)) > 0
	return found
}

// takes reports whether a function has a single parameter of type *T or *testing.T, where T is typeName. The package
// may be imported by any name.
func takes(f *ast.FuncDecl, typeName string) bool {
	if f.Type.Results != nil || f.Type.Params.NumFields() != 1 {
		return false
	}
	parameter, isPointer := strings.CutPrefix(types.ExprString(f.Type.Params.List[0].Type), "*")
	return isPointer && (parameter == typeName || strings.HasSuffix(parameter, "."+typeName))
}

// HasBenchmark reports whether a file of package main has a benchmark function, also beside a main function.
func HasBenchmark(text []byte) bool { return scan(text).benchmarks }
