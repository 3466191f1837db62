package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// reuse makes a map or a slice once before a loop, and clears it each time around, if nothing of it leaves the loop's
// body. A cleared map and a slice of length 0 behave as new ones. What differs is the capacity, and that elements of a
// slice stay reachable until they are overwritten.
var reuse = newAnalyzer("reuse", "use a map or a slice of the previous iteration again", func(s *search) {
	s.each((*ast.AssignStmt)(nil), func(c inspector.Cursor) {
		made := c.Node().(*ast.AssignStmt)
		if made.Tok != token.DEFINE || len(made.Lhs) != 1 || len(made.Rhs) != 1 {
			return
		}
		name := made.Lhs[0].(*ast.Ident)
		switch {
		case s.emptyMap(made) != nil && isMap(s.TypesInfo.TypeOf(name)):
			s.reuse(c, name, s.text(made), fmt.Sprintf("clear(%s)", name.Name))
		case s.emptySlice(made) != nil && isSlice(s.TypesInfo.TypeOf(name)):
			s.reuse(c, name, s.text(made), fmt.Sprintf("%s = %[1]s[:0]", name.Name))
		}
	})
	s.each((*ast.DeclStmt)(nil), func(c inspector.Cursor) {
		g := c.Node().(*ast.DeclStmt).Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || g.Lparen.IsValid() || len(g.Specs) != 1 {
			return
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) == 1 && len(spec.Values) == 0 && isSlice(s.TypesInfo.TypeOf(spec.Type)) {
			s.reuse(c, spec.Names[0], s.text(g), fmt.Sprintf("%s = %[1]s[:0]", spec.Names[0].Name))
		}
	})
})

func isMap(t types.Type) bool   { _, ok := t.Underlying().(*types.Map); return ok }
func isSlice(t types.Type) bool { _, ok := t.Underlying().(*types.Slice); return ok }

// reuse proposes to move a declaration before the loops around it, and to write in its place how the variable is
// emptied.
func (s *search) reuse(c inspector.Cursor, name *ast.Ident, declaration, empty string) {
	v, ok := s.TypesInfo.Defs[name].(*types.Var)
	if !ok || s.olderThan("go1.21") {
		return
	}
	if _, inBlock := c.Parent().Node().(*ast.BlockStmt); !inBlock {
		return
	}
	body := function(c)
	loop := s.outermost(c, c.Node())
	if loop == nil || !s.onlyName(body, v) || !s.staysLocal(body, v) {
		return
	}
	at := loop.Pos()
	s.propose(c.Node(), fmt.Sprintf("nothing of %s leaves the loop: empty it in place of making another", v.Name()),
		s.additions(body, v), edit(at, at, declaration+"\n"+s.indent(at)), edit(c.Node().Pos(), c.Node().End(), empty))
}

// onlyName reports whether a name in a function always denotes the variable.
func (s *search) onlyName(body ast.Node, v *types.Var) bool {
	only := true
	ast.Inspect(body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && name.Name == v.Name() && s.TypesInfo.ObjectOf(name) != v {
			only = false
		}
		return true
	})
	return only
}

// additions returns the places where elements are appended to a slice or entries added to a map.
func (s *search) additions(body ast.Node, v *types.Var) (places []token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return s.root(e) == v }) {
				places = append(places, n.Pos())
			}
		case *ast.IncDecStmt:
			if s.root(n.X) == v {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

// staysLocal reports whether a function uses a map or a slice only for its elements, its length and append, so that
// nothing else refers to its memory, and nothing can tell whether it is nil.
func (s *search) staysLocal(body ast.Node, v *types.Var) bool {
	good := 0
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it may live longer than one iteration
		case *ast.AssignStmt:
			if s.appendsTo(n, v) {
				good += 2
			}
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if s.isVariable(arg, v) && s.borrows(n) {
					good++
				}
			}
		case *ast.RangeStmt:
			if s.isVariable(n.X, v) {
				good++
			}
		case *ast.IndexExpr:
			if s.isVariable(n.X, v) && (isMap(v.Type()) || copied(n, stack[len(stack)-1])) {
				good++
			}
		}
		return true
	})
	return good == len(s.uses(body, v))
}

// appendsTo reports whether an assignment is v = append(v, …).
func (s *search) appendsTo(assign *ast.AssignStmt, v *types.Var) bool {
	if assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || !s.isVariable(assign.Lhs[0], v) {
		return false
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	return ok && s.builtin(call) == "append" && s.isVariable(call.Args[0], v)
}

// borrows reports whether a call keeps nothing of a map or a slice that it is given, and returns nothing of its memory.
func (s *search) borrows(call *ast.CallExpr) bool {
	switch s.builtin(call) {
	case "len", "delete", "clear":
		return true
	}
	return s.converts(call, isString, isBytes) ||
		s.calls(call, "strings.Join", "sort.Strings", "sort.Ints", "sort.Float64s", "slices.Sort")
}

// copied reports whether an element of a slice is read or assigned as a whole, so that nothing takes its address.
func copied(element *ast.IndexExpr, parent ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.UnaryExpr:
		return parent.Op != token.AND
	case *ast.SelectorExpr, *ast.SliceExpr, *ast.IndexExpr, *ast.RangeStmt, *ast.ParenExpr:
		return false
	}
	return true
}
