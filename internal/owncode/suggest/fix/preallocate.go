package fix

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// preallocate gives a slice its room before a loop that appends to it each time around, and a map the number of entries
// that the next loop adds. Only the capacity changes: slices.Grow keeps a nil slice nil if the loop does nothing. A
// loop that may break before it appends to a nil slice is left alone, because the slice would no longer be nil.
var preallocate = newAnalyzer("preallocate", "give a slice or a map its capacity", func(s *search) {
	s.each((*ast.RangeStmt)(nil), func(c inspector.Cursor) {
		loop := c.Node().(*ast.RangeStmt)
		if n := s.rangeLength(loop); n != "" {
			s.preallocate(loop, loop.Body, n)
		}
	})
	s.each((*ast.ForStmt)(nil), func(c inspector.Cursor) {
		loop := c.Node().(*ast.ForStmt)
		if n := s.countedLength(loop); n != "" {
			s.preallocate(loop, loop.Body, n)
		}
	})
})

// rangeLength returns an expression for how often a range loop goes around, "" if the code does not show it.
func (s *search) rangeLength(loop *ast.RangeStmt) string {
	if !s.pure(loop.X) {
		return ""
	}
	switch t := s.TypesInfo.TypeOf(loop.X).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array:
		return "len(" + s.text(loop.X) + ")"
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); ok {
			return "len(" + s.text(loop.X) + ")"
		}
	case *types.Basic:
		if n := s.count(loop.X); !endsEarly(loop.Body) && (s.isShown(loop.X) || !s.mayPanic(loop.Body)) {
			return n
		}
	}
	return ""
}

// endsEarly reports whether a loop may end before its last time around.
func endsEarly(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK || n.Tok == token.GOTO || n.Label != nil
		}
		return true
	})
	return found
}

// count returns an expression of type int for a number of times that may be negative, which means none.
func (s *search) count(n ast.Expr) string {
	t, ok := s.TypesInfo.TypeOf(n).(*types.Basic)
	if !ok || !s.pure(n) || t.Kind() != types.Int && t.Kind() != types.UntypedInt {
		return ""
	}
	switch {
	case s.isShown(n):
		return s.text(n)
	case s.olderThan("go1.21"):
		return "" // there is no max
	}
	return "max(" + s.text(n) + ", 0)"
}

// isShown reports whether a number is a constant or a length. Any other number may come from untrusted input. A decoder
// that is given a number far too large stops early, by a return or a panic, and must not allocate room for all of it
// first.
func (s *search) isShown(n ast.Expr) bool {
	call, ok := ast.Unparen(n).(*ast.CallExpr)
	return ok && s.builtin(call) == "len" || s.TypesInfo.Types[n].Value != nil
}

// countedLength is rangeLength for "for i := 0; i < n; i++" whose body does not assign to i.
func (s *search) countedLength(loop *ast.ForStmt) string {
	init, ok := loop.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || s.text(init.Rhs[0]) != "0" {
		return ""
	}
	i := s.TypesInfo.Defs[init.Lhs[0].(*ast.Ident)]
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	post, isInc := loop.Post.(*ast.IncDecStmt)
	if !ok || !isInc || i == nil || cond.Op != token.LSS || post.Tok != token.INC ||
		s.variable(cond.X) != i || s.variable(post.X) != i || len(s.uses(cond.Y, i)) > 0 {
		return ""
	}
	n := s.count(cond.Y)
	if s.assigns(loop.Body, i) || !strings.HasPrefix(n, "len(") && endsEarly(loop.Body) ||
		!s.isShown(cond.Y) && s.mayPanic(loop.Body) {
		return "" // the number may be far larger than what the loop adds
	}
	return n
}

// assigns reports whether a node assigns to a variable, or takes its address.
func (s *search) assigns(in ast.Node, v types.Object) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || s.root(l) == v && s.isVariable(l, v)
			}
		case *ast.IncDecStmt:
			found = found || s.isVariable(n.X, v)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && s.root(n.X) == v
		case *ast.RangeStmt:
			found = found || n.Key != nil && s.isVariable(n.Key, v) || n.Value != nil && s.isVariable(n.Value, v)
		}
		return true
	})
	return found
}

func (s *search) isVariable(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && s.TypesInfo.ObjectOf(name) == v
}

// root returns the object whose memory, or whose field, an expression names.
func (s *search) root(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return s.root(e.X)
	case *ast.IndexExpr:
		return s.root(e.X)
	}
	return nil
}

// preallocate proposes room for what a loop that goes around n times appends to slices and adds to maps.
func (s *search) preallocate(loop ast.Stmt, body *ast.BlockStmt, n string) {
	added := map[*types.Var]int{} // elements each time around
	var order []*types.Var
	places := map[*types.Var]token.Pos{}
	broken := map[*types.Var]bool{} // whether the loop may break before the first element
	breaks := false
	for _, stmt := range body.List {
		if mayContinue(stmt) {
			return // what follows is not done each time
		}
		breaks = breaks || mayBreak(stmt)
		v, elements := s.adds(stmt)
		if v == nil {
			continue
		}
		if added[v] == 0 {
			order, places[v], broken[v] = append(order, v), stmt.Pos(), breaks
		}
		added[v] += elements
	}
	for _, v := range order {
		declared, next, unused := s.declaration(v, loop)
		if declared == nil || !s.onlyGrows(body, v) {
			continue
		}
		declaration, isNil := declared.(*ast.DeclStmt)
		if isNil && broken[v] || s.hasCapacity(declared) {
			continue
		}
		if _, isMap := v.Type().Underlying().(*types.Map); isMap {
			made := s.emptyMap(declared)
			if made == nil {
				continue
			}
			text := fmt.Sprintf("make(%s, %s)", s.mapType(made), n)
			message := fmt.Sprintf("the loop adds up to %s entries to %s: make room for them at once", n, v.Name())
			switch {
			case next:
				s.propose(made, message, []token.Pos{places[v]}, edit(made.Pos(), made.End(), text))
			case unused && s.alone(declared) && !s.hasComment(declared):
				// The number is known only after statements that do not use the map, which is made there.
				at := loop.Pos()
				s.propose(made, message, []token.Pos{places[v], at},
					edit(s.lineStart(declared.Pos()), s.lineEnd(declared.End()), ""),
					edit(at, at, fmt.Sprintf("%s := %s\n%s", v.Name(), text, s.indent(at))))
			}
			continue
		}
		room := n
		if added[v] > 1 {
			room = fmt.Sprintf("%d*%s", added[v], operand(n))
		}
		at := loop.Pos()
		message := fmt.Sprintf("the loop appends %s elements to %s: make room for them at once", room, v.Name())
		if made := s.emptySlice(declared); made != nil && next {
			text := fmt.Sprintf("make(%s, 0, %s)", s.text(made.typ), room)
			s.propose(loop, message, []token.Pos{places[v], declared.Pos()}, edit(made.Pos(), made.End(), text))
			continue
		}
		name, imports := s.importing(s.file(loop), "slices")
		text := fmt.Sprintf("%s = %s.Grow(%s, %s)\n%s", v.Name(), name, v.Name(), room, s.indent(at))
		if name == "" {
			if !isNil || !unused {
				continue
			}
			// Releases before 1.21 have no slices.Grow. The loop appends each time around, so that the slice stays nil
			// in the same cases.
			in := s.indent(at)
			text = fmt.Sprintf("if %s > 0 {\n%s\t%s = make(%s, 0, %s)\n%s}\n%s", n, in, v.Name(), s.text(
				declaration.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Type), room, in, in)
		}
		s.propose(loop, message, []token.Pos{places[v], declared.Pos()}, append(imports, edit(at, at, text))...)
	}
}

// mayContinue reports whether a statement may go on with the loop's next time around, before its end.
func mayContinue(stmt ast.Stmt) (found bool) {
	ast.PreorderStack(stmt, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			nested := false
			for _, outer := range stack {
				switch outer.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					nested = true
				}
			}
			if n.Label != nil || n.Tok == token.GOTO || n.Tok == token.CONTINUE && !nested {
				found = true
			}
		}
		return true
	})
	return found
}

// mayBreak reports whether a statement of a loop's body may end the loop by a break.
func mayBreak(stmt ast.Stmt) (found bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false // a break in there ends that statement; mayContinue finds those with a label
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK
		}
		return true
	})
	return found
}

// adds returns the variable to which a statement appends or adds an entry, and how many.
func (s *search) adds(stmt ast.Stmt) (*types.Var, int) {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil, 0
	}
	if index, ok := assign.Lhs[0].(*ast.IndexExpr); ok {
		v := s.variable(index.X)
		if v == nil {
			return nil, 0
		}
		if _, ok := v.Type().Underlying().(*types.Map); ok {
			return v, 1
		}
		return nil, 0
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || s.builtin(call) != "append" || call.Ellipsis.IsValid() || len(call.Args) < 2 {
		return nil, 0
	}
	v := s.variable(assign.Lhs[0])
	if v == nil || s.variable(call.Args[0]) != v {
		return nil, 0
	}
	return v, len(call.Args) - 1
}

// onlyGrows reports whether a loop uses a slice or map only for append, len and its elements. Otherwise other slices
// might share the array, and more of them if it has room.
func (s *search) onlyGrows(body ast.Node, v types.Object) bool {
	good := 0
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if added, _ := s.adds(n); added == v {
				if _, isIndex := n.Lhs[0].(*ast.IndexExpr); !isIndex {
					good += 2
				}
			}
		case *ast.CallExpr:
			if s.builtin(n) == "len" && s.isVariable(n.Args[0], v) {
				good++
			}
		case *ast.IndexExpr:
			if s.isVariable(n.X, v) {
				if address, ok := stack[len(stack)-1].(*ast.UnaryExpr); !ok || address.Op != token.AND {
					good++
				}
			}
		}
		return true
	})
	return good == len(s.uses(body, v))
}

// declaration returns the statement that declares a variable in the same block before a loop, if nothing but append
// uses it in between. It reports whether the loop comes next, or after declarations of other empty variables, and
// whether nothing uses the variable in between. Nobody else can then hold the array of the slice.
func (s *search) declaration(v *types.Var, loop ast.Stmt) (declared ast.Stmt, next, unused bool) {
	for c := range s.inspector.Root().Preorder((*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil)) {
		var list []ast.Stmt
		switch n := c.Node().(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		at := -1
		for i, stmt := range list {
			if stmt == loop {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		next, unused = true, true
		for i := at - 1; i >= 0; i-- {
			if s.declares(list[i], v) {
				return list[i], next, unused
			}
			next = next && s.declaresEmpty(list[i])
			used, _ := s.adds(list[i])
			if used != v && len(s.uses(list[i], v)) > 0 {
				return nil, false, false
			}
			unused = unused && used != v
		}
	}
	return nil, false, false
}

// declaresEmpty reports whether a statement only declares a variable, with nothing in it.
func (s *search) declaresEmpty(stmt ast.Stmt) bool {
	switch d := stmt.(type) {
	case *ast.AssignStmt:
		return d.Tok == token.DEFINE && len(d.Rhs) == 1 && (s.emptySlice(d) != nil || s.emptyMap(d) != nil)
	case *ast.DeclStmt:
		g := d.Decl.(*ast.GenDecl)
		return g.Tok == token.VAR && len(g.Specs) == 1 && len(g.Specs[0].(*ast.ValueSpec).Values) == 0
	}
	return false
}

// declares reports whether a statement declares the variable alone, with a value of its own: nothing, a literal or a
// call of make.
func (s *search) declares(stmt ast.Stmt, v *types.Var) bool {
	switch d := stmt.(type) {
	case *ast.AssignStmt:
		if d.Tok != token.DEFINE || len(d.Lhs) != 1 || s.TypesInfo.Defs[d.Lhs[0].(*ast.Ident)] != v {
			return false
		}
		switch value := ast.Unparen(d.Rhs[0]).(type) {
		case *ast.CompositeLit:
			return true
		case *ast.CallExpr:
			return s.builtin(value) == "make"
		}
	case *ast.DeclStmt:
		g := d.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || len(g.Specs) != 1 {
			return false
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		return len(spec.Names) == 1 && len(spec.Values) == 0 && s.TypesInfo.Defs[spec.Names[0]] == v
	}
	return false
}

type emptySlice struct {
	ast.Expr
	typ ast.Expr
}

// emptySlice returns the "[]T{}" or "make([]T, 0)" of a declaration, nil for any other.
func (s *search) emptySlice(stmt ast.Stmt) *emptySlice {
	d, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	switch value := ast.Unparen(d.Rhs[0]).(type) {
	case *ast.CompositeLit:
		if len(value.Elts) == 0 && value.Type != nil {
			return &emptySlice{value, value.Type}
		}
	case *ast.CallExpr:
		if s.builtin(value) == "make" && len(value.Args) == 2 && s.text(value.Args[1]) == "0" {
			return &emptySlice{value, value.Args[0]}
		}
	}
	return nil
}

// emptyMap returns the "map[K]V{}" or "make(map[K]V)" of a declaration, nil for any other.
func (s *search) emptyMap(stmt ast.Stmt) ast.Expr {
	d, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	switch value := ast.Unparen(d.Rhs[0]).(type) {
	case *ast.CompositeLit:
		if len(value.Elts) == 0 && value.Type != nil {
			return value
		}
	case *ast.CallExpr:
		if s.builtin(value) == "make" && len(value.Args) == 1 {
			return value
		}
	}
	return nil
}

// hasCapacity reports whether a declaration makes a slice whose capacity it gives.
func (s *search) hasCapacity(stmt ast.Stmt) bool {
	d, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(d.Rhs[0]).(*ast.CallExpr)
	return ok && s.builtin(call) == "make" && len(call.Args) == 3
}

func (s *search) mapType(made ast.Expr) string {
	if literal, ok := made.(*ast.CompositeLit); ok {
		return s.text(literal.Type)
	}
	return s.text(made.(*ast.CallExpr).Args[0])
}

// operand returns the text of an expression as an operand of a product.
func operand(text string) string {
	if e, err := parser.ParseExpr(text); err == nil {
		if _, ok := e.(*ast.BinaryExpr); ok {
			return "(" + text + ")"
		}
	}
	return text
}
