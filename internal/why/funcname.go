package why

import (
	"go/ast"
	"go/types"
	"path"
	"regexp"
	"strings"
)

var typeArguments = regexp.MustCompile(`\[.*\]`)

// FuncName returns the name of a declared function in the runtime's format: "Replace", "T.Len", "(*T[...]).Read".
func FuncName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	recv := typeArguments.ReplaceAllString(types.ExprString(ast.Unparen(f.Recv.List[0].Type)), "[...]")
	if strings.HasPrefix(recv, "*") {
		recv = "(" + recv + ")"
	}
	return recv + "." + f.Name.Name
}

// closure matches the name of a function, or of a closure, which begins with the name of the function around it: see
// closureName in cmd/compile/internal/ir/func.go. Functions named init have numbers of their own, and a method with a
// pointer receiver may be named func1.
var closure = regexp.MustCompile(
	`^(init\.\d+|\(\*[^()]*\)\.[^.-]+|.+?)(\.(func|gowrap|deferwrap)?\d+([.-].*)?|-.*)?$`)

// Outermost returns the name of the declared function that contains a function or closure, given its name in an
// Allocation: "Replace" for "Replace.func1", "Replace-range1" and "Replace.gowrap2".
func Outermost(function string) string { return closure.ReplaceAllString(function, "$1") }

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
