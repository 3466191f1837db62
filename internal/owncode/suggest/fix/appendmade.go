package fix

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"
)

// appendMade appends zero elements by append(s, make([]T, n)...) in place of a slice that is made for this alone: for
// that form the compiler makes no slice. The elements are the same, and so are the panics for a length out of range.
func appendMade(s *search) {
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		if s.builtin(call) != "append" || !call.Ellipsis.IsValid() || len(call.Args) != 2 || !s.pure(call.Args[0]) {
			return
		}
		v := s.variable(call.Args[1])
		made, set, _ := s.onlyUse(c, v)
		if v == nil || made == nil || s.builtin(made) != "make" || len(made.Args) != 2 || !s.pure(made.Args[1]) ||
			s.hasComment(set) || !s.alone(set) {
			return
		}
		s.propose(set, fmt.Sprintf("%s is made only to be appended: append what make returns, for which the compiler "+
			"makes no slice", v.Name()), nil,
			edit(s.lineStart(set.Pos()), s.lineEnd(set.End()), ""),
			edit(call.Args[1].Pos(), call.Args[1].End(), s.text(made)))
	})
}
