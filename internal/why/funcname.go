package why

import (
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// FuncName returns the name of a declared function in the runtime's format: "Replace", "T.Len", "(*T[...]).Read".
func FuncName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	typ, pointer := ast.Unparen(f.Recv.List[0].Type), false
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, pointer = ast.Unparen(star.X), true
	}
	arguments := ""
	switch t := typ.(type) {
	case *ast.IndexExpr:
		typ, arguments = t.X, "[...]"
	case *ast.IndexListExpr:
		typ, arguments = t.X, "[...]"
	}
	name, ok := typ.(*ast.Ident)
	switch {
	case !ok:
		return f.Name.Name
	case pointer:
		return "(*" + name.Name + arguments + ")." + f.Name.Name
	}
	return name.Name + arguments + "." + f.Name.Name
}

// Outermost returns the name of the declared function that contains a function or closure, given its name in an
// Allocation: "Replace" for "Replace.func1", "Replace-range1" and "Replace.gowrap2".
func Outermost(function string) string {
	end := len(function)
	// closureName in cmd/compile/internal/ir/func.go
	for _, mark := range []string{".func", ".gowrap", ".deferwrap", "-"} {
		if i := strings.Index(function, mark); i > 0 {
			end = min(end, i)
		}
	}
	return function[:end]
}

// PackageNames are the names of packages by import path, as far as they are known.
type PackageNames map[string]string

// Short returns the name of a function with the name of its package in place of the import path: "toml.Unmarshal" for
// "github.com/pelletier/go-toml/v2.Unmarshal". Where the name is not known, it follows from the import path.
func (n PackageNames) Short(function string) string {
	plain, _, _ := strings.Cut(function, "[") // type arguments may have import paths
	slash := strings.LastIndexByte(plain, '/') + 1
	for i := slash; i < len(plain); i++ {
		if name := n[plain[:i]]; plain[i] == '.' && name != "" {
			return name + function[i:]
		}
	}
	if name, rest, ok := strings.Cut(function[slash:], "."); ok && slash > 0 {
		return PackageName(function[:slash]+name) + "." + rest
	}
	return function
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// PackageName returns the name of the standard library's package with the given path: "rand" for "math/rand/v2".
func PackageName(importPath string) string {
	return path.Base(majorVersion.ReplaceAllString(importPath, ""))
}
