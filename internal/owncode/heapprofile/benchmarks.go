package heapprofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
	"onthestack/internal/why"
)

// A testBenchmark is a benchmark of a package, with the names of the functions that its body calls, and that other
// functions of the tests call for it.
type testBenchmark struct {
	name          string
	body, helpers calledNames
}

// calledNames are names of functions, "Key", and of methods, ".find". A method of any type has the same name.
type calledNames map[string]bool

// benchmarks names for each line a benchmark of its package that may run it; see covering.
func (e *explainer) benchmarks() {
	known := map[string][]testBenchmark{}
	for i := range e.report.Lines {
		l := &e.report.Lines[i]
		found, ok := known[l.Package]
		if !ok {
			found = benchmarksOf(e.byPath[l.Package])
			known[l.Package] = found
		}
		l.Benchmark = covering(found, l.Func)
	}
}

// benchmarksOf returns the benchmarks of a package in the order of its files. A file that cannot be read has none.
func benchmarksOf(meta userpkg.Metadata) []testBenchmark {
	var files []*ast.File
	for _, name := range slices.Concat(meta.TestGoFiles, meta.XTestGoFiles) {
		text, err := safefile.ReadLinked(filepath.Join(meta.Dir, name), name, userpkg.MaxSource)
		if err != nil {
			continue
		}
		// A file with a mistake has the benchmarks that parse.
		if file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); file != nil {
			files = append(files, file)
		}
	}
	return benchmarksIn(files, meta.ImportPath, meta.Name)
}

// benchmarksIn returns the benchmarks in test files of the package with an import path and a name.
func benchmarksIn(files []*ast.File, importPath, pkg string) (benchmarks []testBenchmark) {
	calls := map[string]calledNames{} // by the functions of the tests
	for _, file := range files {
		tested := importedAs(file, importPath, pkg)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			name, body := f.Name.Name, callsIn(f.Body, tested)
			if f.Recv != nil {
				name = "." + name
			}
			if strings.HasPrefix(name, "Benchmark") {
				benchmarks = append(benchmarks, testBenchmark{name: name, body: body})
			}
			if calls[name] == nil {
				calls[name] = calledNames{}
			}
			maps.Copy(calls[name], body)
		}
	}
	for i := range benchmarks {
		b := &benchmarks[i]
		b.helpers = calledNames{}
		for queue := slices.Collect(maps.Keys(b.body)); len(queue) > 0; queue = queue[1:] {
			for name := range calls[queue[0]] {
				if !b.helpers[name] {
					b.helpers[name] = true
					queue = append(queue, name)
				}
			}
		}
	}
	return benchmarks
}

// importedAs returns the name by which a test file imports the package that it tests, "" if it is in that package.
func importedAs(file *ast.File, importPath, pkg string) string {
	for _, s := range file.Imports {
		if path, err := strconv.Unquote(s.Path.Value); err == nil && path == importPath {
			if s.Name != nil {
				return s.Name.Name
			}
			return pkg
		}
	}
	return ""
}

// callsIn returns the functions and methods that a body calls. The package that is tested has the given name in the
// file.
func callsIn(body *ast.BlockStmt, tested string) calledNames {
	names := calledNames{}
	for n := range ast.Preorder(body) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		function := ast.Unparen(call.Fun)
		switch instance := function.(type) { // with type arguments
		case *ast.IndexExpr:
			function = instance.X
		case *ast.IndexListExpr:
			function = instance.X
		}
		switch f := function.(type) {
		case *ast.Ident:
			names[f.Name] = true
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok && x.Name == tested {
				names[f.Sel.Name] = true
			} else {
				names["."+f.Sel.Name] = true
			}
		}
	}
	return names
}

// covering returns the benchmark that may run a function, given by its name in a Line, "" for none. A benchmark that
// calls the function is preferred to one that calls it through other functions of the tests, this to one that only has
// the function's name in its own, and this to the package's only benchmark.
func covering(benchmarks []testBenchmark, function string) (best string) {
	name := strings.ReplaceAll(why.Outermost(function), "[...]", "")
	receiver, method, isMethod := strings.Cut(strings.NewReplacer("(", "", "*", "", ")", "").Replace(name), ".")
	called := receiver
	if isMethod {
		name, called = method, "."+method
	}
	most := 0
	for _, b := range benchmarks {
		has := func(word string) bool {
			return word != "" && strings.Contains(strings.ToLower(b.name), strings.ToLower(word))
		}
		likeness := 0
		switch {
		case b.body[called]:
			likeness = 6
		case b.helpers[called]:
			likeness = 3
		}
		if has(name) {
			likeness++
		}
		if isMethod && likeness > 0 && has(receiver) {
			likeness++
		}
		if likeness > most {
			best, most = b.name, likeness
		}
	}
	if best == "" && len(benchmarks) == 1 {
		return benchmarks[0].name
	}
	return best
}
