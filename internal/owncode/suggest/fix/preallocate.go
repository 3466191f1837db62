package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// preallocate gives a slice its room before a loop that appends to it each time around, and a map the number of entries
// that the next loop adds. Only the capacity changes: slices.Grow keeps a nil slice nil if the loop does nothing. A
// loop that may break before it appends to a nil slice is left alone, because the slice would no longer be nil.
func preallocate(s *search) {
	each(s, func(c inspector.Cursor, loop *ast.RangeStmt) {
		s.preallocate(c, loop.Body, s.rangeLength(loop))
	})
	each(s, func(c inspector.Cursor, loop *ast.ForStmt) {
		s.preallocate(c, loop.Body, s.countedLength(loop))
	})
}

// rangeLength returns an expression for how often a range loop goes around, "" if the code does not show it.
func (s *search) rangeLength(loop *ast.RangeStmt) string {
	switch s.TypesInfo.TypeOf(loop.X).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array:
		if s.pure(loop.X) {
			return "len(" + s.text(loop.X) + ")"
		}
	case *types.Basic:
		return s.times(loop.X, loop.Body)
	}
	return ""
}

// times returns an expression for how often a loop goes around whose count is the number n. A constant or a length is
// right for any loop. Any other number may come from untrusted input: a decoder that is given a number far too large
// stops early, by a return or a panic, and must not allocate room for all of it first. For such a number, the body must
// be unable to end the loop.
func (s *search) times(n ast.Expr, body *ast.BlockStmt) string {
	call, isCall := ast.Unparen(n).(*ast.CallExpr)
	tv := s.TypesInfo.Types[n]
	basic, ok := tv.Type.(*types.Basic)
	switch {
	case isCall && s.builtin(call) == "len" && s.pure(n):
		return s.text(n)
	case tv.Value != nil && tv.Type.Underlying().(*types.Basic).Info()&types.IsInteger != 0:
		return s.text(n)
	case ok && basic.Kind() == types.Int && s.pure(n) && !s.olderThan("go1.21") && s.completes(body):
		return "max(" + s.text(n) + ", 0)"
	}
	return ""
}

// completes reports whether a loop's body cannot end the loop: it does not jump, indexes nothing, and calls only
// builtin functions, conversions, and functions of packages that do not panic on purpose.
func (s *search) completes(body *ast.BlockStmt) bool {
	can := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.IndexExpr, *ast.SliceExpr, *ast.FuncLit:
			can = false
		case *ast.CallExpr:
			f := s.callee(n)
			known := f != nil && f.Pkg() != nil &&
				slices.Contains([]string{"fmt", "math", "strconv", "unicode"}, f.Pkg().Path())
			builtin := s.builtin(n)
			can = can && (known || s.TypesInfo.Types[n.Fun].IsType() || builtin != "" && builtin != "panic")
		}
		return can
	})
	return can
}

// countedLength is rangeLength for "for i := 0; i < n; i++" whose body does not assign to i.
func (s *search) countedLength(loop *ast.ForStmt) string {
	i, from := s.defines(loop.Init)
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	post, isInc := loop.Post.(*ast.IncDecStmt)
	if i == nil || from == nil || s.text(from) != "0" || !ok || !isInc || cond.Op != token.LSS ||
		post.Tok != token.INC || s.variable(cond.X) != i || s.variable(post.X) != i || s.assigns(loop.Body, i) {
		return ""
	}
	return s.times(cond.Y, loop.Body)
}

// preallocate proposes room for what a loop that goes around n times appends to slices and adds to maps.
func (s *search) preallocate(loop inspector.Cursor, body *ast.BlockStmt, n string) {
	if n == "" {
		return
	}
	added := map[*types.Var]int{} // elements each time around
	var order []*types.Var
	places := map[*types.Var]token.Pos{}
	broken := map[*types.Var]bool{} // whether the loop may break before the first element
	breaks := false
	for _, stmt := range body.List {
		continued, broke := jumps(stmt)
		if continued {
			return // what follows is not done each time
		}
		breaks = breaks || broke
		v, elements := s.adds(stmt)
		if v == nil {
			continue
		}
		if added[v] == 0 {
			order, places[v], broken[v] = append(order, v), stmt.Pos(), breaks
		}
		added[v] += elements
	}
	at := loop.Node().Pos()
	for _, v := range order {
		d := s.declaration(v, loop)
		if d == nil || !s.onlyGrows(body, v) || d.value == nil && broken[v] {
			continue
		}
		if _, isMap := v.Type().Underlying().(*types.Map); isMap {
			if d.empty && d.next {
				s.propose(d.value, fmt.Sprintf("the loop adds up to %s entries to %s: reserve capacity for them", n,
					v.Name()), []token.Pos{places[v]}, edit(d.value.Pos(), d.value.End(),
					fmt.Sprintf("make(%s, %s)", s.text(d.typ), n)))
			}
			continue
		}
		room := n
		if added[v] > 1 {
			if strings.ContainsAny(n, "+-*/%<>&|^") {
				room = "(" + room + ")"
			}
			room = fmt.Sprintf("%d*%s", added[v], room)
		}
		message := fmt.Sprintf("the loop appends %s elements to %s: reserve capacity for them", room, v.Name())
		related := []token.Pos{places[v], d.stmt.Pos()}
		if d.empty && d.next {
			s.propose(loop.Node(), message, related, edit(d.value.Pos(), d.value.End(),
				fmt.Sprintf("make(%s, 0, %s)", s.text(d.typ), room)))
		} else if name, imports := s.importing(s.file(body), "slices"); name != "" {
			text := fmt.Sprintf("%s = %s.Grow(%s, %s)\n%s", v.Name(), name, v.Name(), room, s.indent(at))
			s.propose(loop.Node(), message, related, append(imports, edit(at, at, text))...)
		}
	}
}

// jumps reports whether a statement of a loop's body may go on with the loop's next time around, or may end the loop. A
// jump in an inner loop counts too.
func jumps(stmt ast.Stmt) (continues, breaks bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		if branch, ok := n.(*ast.BranchStmt); ok {
			breaks = breaks || branch.Tok == token.BREAK
			continues = continues || branch.Tok == token.CONTINUE || branch.Tok == token.GOTO || branch.Label != nil
		}
		_, isFunc := n.(*ast.FuncLit)
		return !isFunc
	})
	return continues, breaks
}

// adds returns the variable to which a statement appends or adds an entry, and how many.
func (s *search) adds(stmt ast.Node) (*types.Var, int) {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil, 0
	}
	if index, ok := assign.Lhs[0].(*ast.IndexExpr); ok {
		if v := s.variable(index.X); v != nil {
			if _, ok := v.Type().Underlying().(*types.Map); ok {
				return v, 1
			}
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
			if s.isVariable(n.X, v) && !isAddress(stack) {
				good++
			}
		}
		return true
	})
	return good == len(s.uses(body, v))
}

// A declaration is a statement that declares a slice or a map with a value of its own: nothing, a literal or a call of
// make, without a capacity. Nobody else can then hold the array of the slice.
type declaration struct {
	stmt  ast.Stmt
	value ast.Expr // nil for none
	typ   ast.Expr // of the value
	empty bool     // whether the value has no elements
	next  bool     // whether a loop comes next, or after declarations of other empty variables
}

// declaration returns the declaration of a variable in the same block before a loop, if nothing but append uses the
// variable in between, otherwise nil.
func (s *search) declaration(v *types.Var, loop inspector.Cursor) *declaration {
	next := true
	for before, ok := loop.PrevSibling(); ok; before, ok = before.PrevSibling() {
		declared, d := s.declares(before.Node())
		if declared == v && d != nil {
			d.next = next
			return d
		}
		next = next && d != nil && (d.value == nil || d.empty)
		if used, _ := s.adds(before.Node()); used != v && len(s.uses(before.Node(), v)) > 0 {
			return nil
		}
	}
	return nil
}

// declares returns the variable that a statement declares alone, and how, or nil.
func (s *search) declares(stmt ast.Node) (*types.Var, *declaration) {
	v, value := s.defines(stmt)
	if v == nil {
		return nil, nil
	}
	d := &declaration{stmt: stmt.(ast.Stmt), value: value}
	switch value := value.(type) {
	case nil:
	case *ast.CompositeLit:
		d.typ, d.empty = value.Type, len(value.Elts) == 0
	case *ast.CallExpr:
		if s.builtin(value) != "make" || len(value.Args) > 2 {
			return v, nil
		}
		d.typ, d.empty = value.Args[0], len(value.Args) == 1 || s.text(value.Args[1]) == "0"
	default:
		return v, nil
	}
	return v, d
}
