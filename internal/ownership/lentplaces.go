package ownership

import (
	"go/ast"
	"go/types"
)

// This file tracks lent memory through assignments: it marks variables, and refuses destinations that outlive the call.

// assign records that a value with the loan mask is assigned to the expression to. from is the value's expression.
func (l *loans) assign(f *function, to ast.Expr, mask loan, from ast.Expr) {
	if t := l.typeOf(to); mask == 0 || t == nil || !carries(t) {
		return
	}
	if v := l.variable(to); v != nil {
		l.mark(v, mask)
		if f.inside != nil && (v.Pos() < f.node.Pos() || v.Pos() > f.node.End()) && !l.borrows(f.inside) {
			l.refuse(to.Pos(), "this keeps memory that was lent for one call")
		}
		for i := range f.signature.Results().Len() {
			if f.signature.Results().At(i) == v {
				l.result(f, i, mask, to.Pos())
			}
		}
		return
	}
	root, steps, direct := l.rootOf(to, mask)
	switch {
	case root != nil && steps == 0,
		root != nil && steps == 1 && direct && l.fresh(root),
		root != nil && l.vars[root] != 0 && l.onlyOf(from, root, map[types.Object]bool{}):
		l.mark(root, mask)
	default:
		l.refuse(to.Pos(), "this keeps memory that was lent for one call")
	}
}

// borrows reports whether a function is itself called with lent memory. If it is not, a function literal in it that is
// called with lent memory must not assign it to the variables around the literal.
func (l *loans) borrows(f *function) bool {
	if r := f.signature.Recv(); r != nil && l.vars[r.Origin()] != 0 {
		return true
	}
	for p := range f.signature.Params().Variables() {
		if l.vars[p.Origin()] != 0 {
			return true
		}
	}
	return false
}

// rootOf returns the variable in which the expression e begins, how many pointers, slices and maps lead from there to
// it, and whether the first of them is the variable itself. It marks the fields on the way.
func (l *loans) rootOf(e ast.Expr, mask loan) (root *types.Var, steps int, direct bool) {
	for {
		e = ast.Unparen(e)
		var x ast.Expr
		indirect := false
		switch e := e.(type) {
		case *ast.Ident:
			return l.variable(e), steps, direct
		case *ast.StarExpr:
			x, indirect = e.X, true
		case *ast.IndexExpr:
			x = e.X
			_, array := core(l.typeOf(x)).(*types.Array)
			indirect = !array
		case *ast.SelectorExpr:
			s := l.info.Selections[e]
			if s == nil {
				return nil, steps, false
			}
			x, indirect = e.X, s.Indirect()
			l.fields(s, mask)
			if len(s.Index()) > 1 && indirect {
				steps++ // the pointer may be an embedded field
			}
		case *ast.SliceExpr:
			x = e.X
		default:
			return nil, steps, false
		}
		if indirect {
			steps++
			direct = l.variable(x) != nil
		}
		e = x
	}
}

// fields marks the fields that a selection passes through.
func (l *loans) fields(s *types.Selection, mask loan) {
	t := s.Recv()
	for _, i := range s.Index() {
		st, ok := pointee(t).Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return
		}
		l.mark(st.Field(i), mask)
		t = st.Field(i).Type()
	}
}

// onlyOf reports whether everything that is lent in e comes from one variable, as in "c.rest = c.rest[1:]", possibly
// through local variables.
func (l *loans) onlyOf(e ast.Expr, v *types.Var, seen map[types.Object]bool) bool {
	only := true
	ast.Inspect(e, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal {
			only = false
		}
		id, ok := n.(*ast.Ident)
		if !ok || !only {
			return only
		}
		o, ok := l.info.Uses[id].(*types.Var)
		if !ok || o.IsField() || o == v || l.vars[o.Origin()] == 0 || seen[o] {
			return true
		}
		seen[o] = true
		only = len(l.values[o]) > 0 || l.zero[o]
		for _, from := range l.values[o] {
			only = only && from != nil && l.onlyOf(from, v, seen)
		}
		return only
	})
	return only
}

// change refuses a write to e if e is an element of memory that must not be written.
func (l *loans) change(to ast.Expr) {
	var x ast.Expr
	switch e := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.StarExpr:
		x = e.X
	default:
		return
	}
	if t := l.typeOf(to); t != nil && !carries(t) && l.value(x)&mustNotWrite != 0 {
		l.refuse(to.Pos(), "this writes into memory that was lent for reading")
	}
}

// changeAll refuses writes to the elements of e if e is memory that must not be written.
func (l *loans) changeAll(e ast.Expr) {
	var elem types.Type
	switch u := core(l.typeOf(e)).(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Interface:
		return
	}
	if elem != nil && !carries(elem) && l.value(e)&mustNotWrite != 0 {
		l.refuse(e.Pos(), "this writes into memory that was lent for reading, or behind it")
	}
}
