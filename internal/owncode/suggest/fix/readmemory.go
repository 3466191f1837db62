package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// readMemory calls the Read method of a reader over memory in place of io.ReadFull, whose parameter is an interface.
// The Read method of a bytes.Buffer fills as much as there is at once, so that only the error of a part differs, which
// the edit makes the same. Only UnreadByte after such a part still shows a difference, so the function may not call it.
// The Read methods of bytes.Reader and strings.Reader differ for a slice of no bytes.
func readMemory(s *search) {
	each(s, func(c inspector.Cursor, assign *ast.AssignStmt) {
		if len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
			return
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		if !ok || !s.calls(call, "io.ReadFull") || len(call.Args) != 2 || !s.isOwnBuffer(call.Args[0], c) ||
			!isListed(c) {
			return
		}
		n, isName := assign.Lhs[0].(*ast.Ident)
		err, isErr := assign.Lhs[1].(*ast.Ident)
		room := call.Args[1]
		parts := []ast.Expr{room}
		if slice, ok := room.(*ast.SliceExpr); ok {
			parts = []ast.Expr{slice.X, slice.Low, slice.High}
		}
		if !allOf(parts, func(e ast.Expr) bool { return e == nil || s.pure(e) }) || !isName || !isErr ||
			len(s.uses(room, s.TypesInfo.ObjectOf(n))) > 0 {
			return
		}
		pkg, _ := s.importing(s.file(assign), "io")
		in := s.indent(assign.Pos())
		text := fmt.Sprintf("%s.Read(%s)\n%sif %s == nil && %s < len(%s) {\n%s\t%s = %s.ErrUnexpectedEOF\n%s}",
			s.text(call.Args[0]), s.text(room), in, err.Name, n.Name, s.text(room), in, err.Name, pkg, in)
		s.propose(assign,
			fmt.Sprintf("call the Read method of %s itself, which does not keep its argument", s.text(call.Args[0])),
			[]token.Pos{s.variable(call.Args[0]).Pos()}, edit(call.Pos(), call.End(), text))
	})
}

// isOwnBuffer reports whether an expression is a *bytes.Buffer in a variable of the function around it, which unreads
// nothing.
func (s *search) isOwnBuffer(e ast.Expr, c inspector.Cursor) bool {
	v := s.variable(e)
	f := function(c)
	return v != nil && v.Type().String() == "*bytes.Buffer" && f != nil && f.Body.Pos() <= v.Pos() &&
		v.Pos() < f.Body.End() && !strings.Contains(s.text(f.Body), ".Unread")
}
