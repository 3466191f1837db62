package ownership

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/tools/txtar"
)

// api has the exported declarations of packages of the standard library, one file each. The type check uses these
// instead of a toolchain's export data, so that its result is the same on a server, in a terminal and in a page.
//
//go:embed api.txtar
var api []byte

// hiddenField is the prefix of the name of a field that stands for all unexported fields of a struct. The name of the
// type follows, since types that differ only in hidden fields must not be convertible into each other.
const hiddenField = "hidden"

var declarations = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	for _, f := range txtar.Parse(api).Files {
		files[f.Name] = f.Data
	}
	return files
})

// A library imports packages of the standard library. It parses each when it is first imported, and keeps it.
type library struct {
	mu       sync.Mutex
	packages map[string]*types.Package
}

var standard library

// Import implements types.Importer.
func (l *library) Import(path string) (*types.Package, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(path)
}

func (l *library) load(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := l.packages[path]; pkg != nil {
		return pkg, nil
	}
	text, ok := declarations()[path]
	if !ok {
		return nil, fmt.Errorf("the policy does not know package %s: list it in internal/ownership/api_test.go, "+
			"and run \"go test ./internal/ownership -update\"", path)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "api.txtar/"+path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{IgnoreFuncBodies: true, Importer: loader{l}}
	pkg, err := config.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, err
	}
	if l.packages == nil {
		l.packages = map[string]*types.Package{}
	}
	l.packages[path] = pkg
	return pkg, nil
}

// A loader imports packages for a library that is locked already.
type loader struct{ *library }

func (l loader) Import(path string) (*types.Package, error) { return l.load(path) }
