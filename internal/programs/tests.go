package programs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"

	"onthestack/internal/harness"
)

// tests reports whether a file belongs to package main and has tests but no main function, and whether it has
// benchmarks.
func tests(text []byte) (any, benchmarks bool) {
	file, err := parser.ParseFile(token.NewFileSet(), File, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.Name.Name != "main" {
		return false, false
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		name := f.Name.Name
		switch {
		case name == "main":
			return false, false
		case name == "TestMain" && takes(f, "M"), harness.IsTest(name, "Test") && takes(f, "T"),
			harness.IsTest(name, "Fuzz") && takes(f, "F"):
			any = true
		case harness.IsTest(name, "Benchmark") && takes(f, "B"):
			any, benchmarks = true, true
		}
	}
	return any || len(doc.Examples(file)) > 0, benchmarks
}

// takes reports whether a function has a single parameter of type *T or *testing.T, where T is typeName. The package
// may be imported by any name.
func takes(f *ast.FuncDecl, typeName string) bool {
	if f.Type.Results != nil || len(f.Type.Params.List) != 1 || len(f.Type.Params.List[0].Names) > 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := pointer.X.(type) {
	case *ast.Ident:
		return t.Name == typeName
	case *ast.SelectorExpr:
		return t.Sel.Name == typeName
	}
	return false
}

// HasBenchmark reports whether a file of package main has a benchmark function, also beside a main function.
func HasBenchmark(text []byte) bool {
	file, err := parser.ParseFile(token.NewFileSet(), File, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(file.Decls, func(decl ast.Decl) bool {
		f, ok := decl.(*ast.FuncDecl)
		return ok && f.Recv == nil && harness.IsTest(f.Name.Name, "Benchmark") && takes(f, "B")
	})
}
