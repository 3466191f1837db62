package fix

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/inspector"
)

// appendMade appends zero elements by append(s, make([]T, n)...) in place of a slice that is made for this alone: for
// that form the compiler makes no slice. The elements are the same, and so are the panics for a length out of range.
var appendMade = newAnalyzer("appendmade", "append zero elements without a slice of them", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		if s.builtin(call) != "append" || !call.Ellipsis.IsValid() || len(call.Args) != 2 || !s.pure(call.Args[0]) {
			return
		}
		v := s.variable(call.Args[1])
		if v == nil {
			return
		}
		var stmt inspector.Cursor
		for outer := range c.Enclosing((*ast.AssignStmt)(nil), (*ast.ReturnStmt)(nil)) {
			stmt = outer
			break
		}
		if !stmt.Valid() || !s.firstCall(stmt.Node(), call) {
			return
		}
		before, ok := stmt.PrevSibling()
		if !ok {
			return
		}
		set, ok := before.Node().(*ast.AssignStmt)
		if !ok || set.Tok != token.DEFINE || len(set.Lhs) != 1 || len(set.Rhs) != 1 ||
			s.TypesInfo.Defs[set.Lhs[0].(*ast.Ident)] != v || s.hasComment(set) {
			return
		}
		made, ok := ast.Unparen(set.Rhs[0]).(*ast.CallExpr)
		if !ok || s.builtin(made) != "make" || len(made.Args) != 2 || !s.pure(made.Args[1]) || function(c) == nil ||
			len(s.uses(function(c), v)) != 1 || !s.alone(set) {
			return
		}
		s.propose(set, fmt.Sprintf("%s is made only to be appended: append what make returns, for which the compiler "+
			"makes no slice", v.Name()), nil,
			edit(s.lineStart(set.Pos()), s.lineEnd(set.End()), ""),
			edit(call.Args[1].Pos(), call.Args[1].End(), s.text(made)))
	})
})

// alone reports whether a statement has its lines for itself, without a comment.
func (s *search) alone(stmt ast.Stmt) bool {
	lines := s.between(s.lineStart(stmt.Pos()), s.lineEnd(stmt.End()))
	return s.indent(stmt.Pos())+s.text(stmt)+"\n" == lines
}
