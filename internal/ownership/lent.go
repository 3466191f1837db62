package ownership

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

// A loan is a set of restrictions on a value that refers to memory which another package lends for the duration of a
// call.
type loan uint8

const (
	mustNotKeep  loan = 1 << iota // the memory must not be kept beyond the call
	mustNotWrite                  // the memory must not be written
)

// lendingPackages are the packages whose interfaces a solver's types may implement. Each slice argument of such a
// method is lent: io.Writer and the others forbid keeping it, and package fmt reuses it for the next caller.
var lendingPackages = []string{"encoding", "encoding/binary", "fmt", "hash", "io"}

// lendingMethods returns the methods of those packages' interfaces, by name.
var lendingMethods = sync.OnceValues(func() (map[string][]*types.Signature, error) {
	methods := map[string][]*types.Signature{}
	for _, path := range lendingPackages {
		pkg, err := standard.Import(path)
		if err != nil {
			return nil, err
		}
		for _, name := range pkg.Scope().Names() {
			if i, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok && token.IsExported(name) {
				for m := range i.Methods() {
					methods[m.Name()] = append(methods[m.Name()], m.Signature())
				}
			}
		}
	}
	return methods, nil
})

// maxSteps bounds the cost of tracking lent memory, in visits of an expression or a function.
const maxSteps = 5_000_000

// A loans tracks lent memory through a package. It ignores the order of statements, and treats a field as one variable
// for all objects, but a field is only tracked in variables that hold something lent.
type loans struct {
	*checker
	vars      map[types.Object]loan // variables, including fields of the package's own structs
	results   map[ast.Node][]loan   // of *ast.FuncDecl and *ast.FuncLit, by index
	functions []function
	byObject  map[types.Object]*function
	captured  map[*ast.FuncLit][]types.Object
	changed   bool
	reporting bool
	steps     int
}

type function struct {
	node      ast.Node // *ast.FuncDecl or *ast.FuncLit
	name      string
	body      *ast.BlockStmt
	signature *types.Signature
	inside    *function // the declared function around a literal, nil for a declared function
	root      bool      // another package may call it with lent memory
	returns   bool      // it may return that memory to that package
}

// lent finds where memory that was lent for a call is kept, returned or written. It returns a finding of its own if
// that takes too many steps, nil otherwise.
func (c *checker) lent(files []*ast.File) *Finding {
	l := &loans{checker: c, vars: map[types.Object]loan{}, results: map[ast.Node][]loan{},
		byObject: map[types.Object]*function{},
		captured: map[*ast.FuncLit][]types.Object{}}
	for _, file := range files {
		l.collect(file)
	}
	for i := range l.functions {
		f := &l.functions[i]
		if d, ok := f.node.(*ast.FuncDecl); ok {
			l.byObject[c.info.Defs[d.Name]] = f
		}
		for j := i - 1; j >= 0 && f.inside == nil; j-- {
			if g := &l.functions[j]; g.name != "" && g.node.Pos() < f.node.Pos() && f.node.End() <= g.node.End() {
				f.inside = g
			}
		}
	}
	lending, err := lendingMethods()
	if err != nil {
		return &Finding{files[0].Name.Pos(), fmt.Sprintf("the policy cannot check this package: %v", err)}
	}
	for i := range l.functions {
		f := &l.functions[i]
		if f.signature.Recv() == nil {
			continue
		}
		for _, s := range lending[f.name] {
			if types.Identical(withoutReceiver(f.signature), withoutReceiver(s)) {
				l.lend(f)
				break
			}
		}
	}
	if len(l.vars) == 0 && !l.hasCallbacks(files) {
		return nil
	}
	for l.changed = true; l.changed && l.steps < maxSteps; {
		l.changed = false
		l.pass()
	}
	l.reporting = true
	l.pass()
	if l.steps >= maxSteps {
		return &Finding{files[0].Name.Pos(),
			"this package has too many functions that pass memory on to each other, so " +
				"the policy cannot check it: write fewer"}
	}
	return nil
}

func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// collect lists the functions and function literals of a file.
func (l *loans) collect(file *ast.File) {
	var literals []*ast.FuncLit
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if f, ok := l.info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
				l.functions = append(l.functions, function{node: n, name: n.Name.Name, body: n.Body,
					signature: f.Signature()})
			}
		case *ast.FuncLit:
			if s, ok := core(l.typeOf(n)).(*types.Signature); ok {
				l.functions = append(l.functions, function{node: n, body: n.Body, signature: s})
				literals = append(literals, n)
			}
		}
		return true
	})
	for _, lit := range literals {
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := l.info.Uses[id].(*types.Var); ok && !v.IsField() &&
					(v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
					l.captured[lit] = append(l.captured[lit], v)
				}
			}
			return true
		})
	}
}

// lend marks the parameters that f gets from another package.
func (l *loans) lend(f *function) {
	mask := mustNotKeep
	if strings.HasPrefix(f.name, "Write") {
		mask |= mustNotWrite
	}
	for p := range f.signature.Params().Variables() {
		_, slice := p.Type().Underlying().(*types.Slice)
		if name := types.TypeString(p.Type(), nil); slice || name == "fmt.State" || name == "fmt.ScanState" {
			f.root = true
			l.mark(p, mask)
		}
	}
	for r := range f.signature.Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Slice); ok {
			f.returns = true // AppendText(b []byte) ([]byte, error)
		}
	}
}

// hasCallbacks reports whether a function is passed to another package, which may call it with memory of its own.
func (l *loans) hasCallbacks(files []*ast.File) bool {
	found := false
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			if f := l.callee(call); l.isExternal(f) {
				for _, a := range call.Args {
					_, isFunc := core(l.typeOf(a)).(*types.Signature)
					found = found || isFunc
				}
			}
			return true
		})
	}
	return found
}

func (l *loans) mark(o types.Object, mask loan) {
	v, ok := o.(*types.Var)
	if !ok || mask == 0 || v.Name() == "_" || !carries(v.Type()) {
		return
	}
	v = v.Origin()
	if l.vars[v]|mask != l.vars[v] {
		l.vars[v] |= mask
		l.changed = true
	}
}

// carries reports whether a value of type t can refer to memory.
func carries(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Array:
		return carries(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if carries(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// pass visits all functions once.
func (l *loans) pass() {
	for i := range l.functions {
		l.function(&l.functions[i])
	}
}

func (l *loans) refuse(pos token.Pos, does string) {
	if l.reporting {
		l.report(pos, "%s, which is not allowed here: it belongs to the caller, who uses it again after the call: "+
			"copy what you need of it", does)
	}
}

func (l *loans) function(f *function) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it is visited as a function of its own
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
					if len(n.Lhs) == len(n.Rhs) {
						l.assign(f, to, l.value(n.Rhs[i]), n.Rhs[i])
					} else {
						l.assign(f, to, l.part(n.Rhs[0], i), n.Rhs[0])
					}
				}
				l.change(to)
			}
		case *ast.IncDecStmt:
			l.change(n.X)
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if len(n.Names) == len(n.Values) {
					l.assign(f, to, l.value(n.Values[i]), n.Values[i])
				} else if len(n.Values) == 1 {
					l.assign(f, to, l.part(n.Values[0], i), n.Values[0])
				}
			}
		case *ast.RangeStmt:
			if mask := l.value(n.X); mask != 0 {
				for _, to := range []ast.Expr{n.Key, n.Value} {
					if to != nil && l.typeOf(to) != nil && carries(l.typeOf(to)) {
						l.assign(f, to, mask, n.X)
					}
				}
			}
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok {
				mask := l.value(a.Rhs[0].(*ast.TypeAssertExpr).X)
				for _, s := range n.Body.List {
					l.mark(l.info.Implicits[s], mask)
				}
			}
		case *ast.SendStmt:
			if mask := l.value(n.Value); mask != 0 {
				if v := l.variable(n.Chan); l.fresh(v) {
					l.mark(v, mask)
				} else {
					l.refuse(n.Pos(), "this sends memory on a channel that was lent for one call")
				}
			}
		case *ast.ReturnStmt:
			for i, e := range n.Results {
				if len(n.Results) == 1 && f.signature.Results().Len() > 1 {
					for i := range f.signature.Results().Len() {
						l.result(f, i, l.part(e, i), e.Pos())
					}
				} else {
					l.result(f, i, l.value(e), e.Pos())
				}
			}
		case *ast.CallExpr:
			l.call(f, n)
		}
		return true
	})
}

func (l *loans) result(f *function, i int, mask loan, pos token.Pos) {
	if mask == 0 || i >= f.signature.Results().Len() || !carries(f.signature.Results().At(i).Type()) {
		return
	}
	if f.root && !f.returns {
		l.refuse(pos, "this returns memory that was lent for one call")
	}
	if l.results[f.node] == nil {
		l.results[f.node] = make([]loan, f.signature.Results().Len())
	}
	if r := l.results[f.node]; r[i]|mask != r[i] {
		r[i] |= mask
		l.changed = true
	}
}
