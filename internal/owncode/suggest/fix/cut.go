package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ast/inspector"
)

// cut takes the text before a separator by strings.Cut in place of the first element of strings.Split. It is the whole
// text for both if the separator is not in it. Package bytes is left alone: its Split also limits the capacity.
var cut = newAnalyzer("cut", "take the first part of a string without a slice of all", func(s *search) {
	if s.olderThan("go1.18") {
		return
	}
	s.each((*ast.AssignStmt)(nil), func(c inspector.Cursor) {
		assign := c.Node().(*ast.AssignStmt)
		if len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.ASSIGN && assign.Tok != token.DEFINE {
			return
		}
		first, ok := assign.Rhs[0].(*ast.IndexExpr)
		if !ok || s.constant(first.Index) != 0 {
			return
		}
		call, ok := first.X.(*ast.CallExpr)
		if !ok || !s.calls(call, "strings.Split", "strings.SplitN") || s.hasComment(assign) {
			return
		}
		split, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok { // the package is imported with a dot
			return
		}
		separator := s.TypesInfo.Types[call.Args[1]].Value
		if separator == nil || constant.StringVal(separator) == "" || len(call.Args) == 3 &&
			s.constant(call.Args[2]) < 2 {
			return
		}
		s.propose(assign, "only the part before the separator is used: cut the string there", nil,
			edit(assign.Lhs[0].End(), assign.Lhs[0].End(), ", _, _"),
			edit(first.Pos(), first.End(), fmt.Sprintf("%s.Cut(%s, %s)", s.text(split.X),
				s.text(call.Args[0]), s.text(call.Args[1]))))
	})
})

// constant returns the value of a constant integer, -1 for any other expression.
func (s *search) constant(e ast.Expr) int64 {
	if value := s.TypesInfo.Types[e].Value; value != nil {
		if n, exact := constant.Int64Val(constant.ToInt(value)); exact {
			return n
		}
	}
	return -1
}
