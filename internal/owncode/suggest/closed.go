package suggest

import (
	"go/ast"
	"go/types"
	"slices"

	"onthestack/internal/owncode/suggest/fix"
)

// closed are packages of the standard library whose functions have no effect except on their arguments.
var closed = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "container/ring", "encoding/ascii85",
	"encoding/base32", "encoding/base64", "encoding/binary", "encoding/hex", "errors", "fmt", "hash", "hash/adler32",
	"hash/crc32", "hash/crc64", "hash/fnv", "html", "io", "iter", "maps", "math", "math/big", "math/bits", "math/cmplx",
	"path", "regexp", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "text/tabwriter", "time",
	"unicode", "unicode/utf16", "unicode/utf8",
}

// open are their functions that print, read or wait.
var open = []string{"fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln", "time.Sleep",
	"time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker"}

// reachesNothing reports whether a function, and all functions that it may call, use only closed packages and data of
// their own package. Calls through interfaces may be of any method of a type that occurs in a function.
func reachesNothing(p *fix.Program, f *types.Func) bool {
	all := map[types.Object]*ast.FuncDecl{}
	for _, file := range p.Files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok {
				all[p.Info.Defs[decl.Name]] = decl
			}
		}
	}
	return (&callWalker{p, all, map[types.Type]bool{}, map[types.Object]bool{}}).function(f)
}

type callWalker struct {
	*fix.Program
	decls map[types.Object]*ast.FuncDecl
	types map[types.Type]bool
	done  map[types.Object]bool
}

func (r *callWalker) function(f *types.Func) bool {
	f = f.Origin()
	if r.done[f] {
		return true
	}
	r.done[f] = true
	decl := r.decls[f]
	if decl == nil || decl.Body == nil {
		return false
	}
	fine := true
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt:
			fine = false
		case *ast.Ident:
			fine = fine && r.object(r.Info.ObjectOf(n))
		}
		if e, ok := n.(ast.Expr); ok && fine {
			fine = r.typ(r.Info.TypeOf(e))
		}
		return fine
	})
	return fine
}

// object reports whether a name may occur.
func (r *callWalker) object(object types.Object) bool {
	if object == nil || object.Pkg() == nil {
		return true
	}
	if object.Pkg() != r.Types {
		if !slices.Contains(closed, object.Pkg().Path()) {
			return false
		}
		f, ok := object.(*types.Func)
		return !ok || !slices.Contains(open, f.FullName())
	}
	switch object := object.(type) {
	case *types.Func:
		recv := object.Signature().Recv()
		return recv != nil && types.IsInterface(recv.Type()) || r.function(object)
	case *types.Var:
		return object.Parent() != r.Types.Scope() || callsNothing(object.Type(), map[types.Type]bool{})
	}
	return true
}

// typ reports whether values of a type may occur, with all their methods.
func (r *callWalker) typ(t types.Type) bool {
	if t == nil || r.types[t] {
		return true
	}
	r.types[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg != r.Types {
			return slices.Contains(closed, pkg.Path())
		}
		for m := range t.Methods() {
			if !types.IsInterface(t) && !r.function(m) {
				return false
			}
		}
		return r.typ(t.Underlying())
	case *types.Chan:
		return false
	}
	return !slices.ContainsFunc(parts(t), func(part types.Type) bool { return !r.typ(part) })
}

// callsNothing reports whether a variable of a type has nothing that could be called.
func callsNothing(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil &&
		slices.Contains(closed, named.Obj().Pkg().Path()) && !types.IsInterface(named) {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Chan, *types.Signature, *types.Interface:
		return false
	}
	return !slices.ContainsFunc(parts(t), func(part types.Type) bool { return !callsNothing(part, seen) })
}
