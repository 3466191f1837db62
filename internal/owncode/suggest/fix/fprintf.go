package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// fprintf formats into an io.Writer in place of a string that is only written to it. Both call Write once, with the
// same bytes, and return what it returns. Package fmt uses the memory of these bytes again afterwards. io.WriteString
// calls the method WriteString of a Writer that has one. A bufio.Writer's passes other parts on than its Write does.
var fprintf = newAnalyzer("fprintf", "format into a Writer", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		var to, text ast.Expr
		switch {
		case s.calls(call, "io.WriteString"):
			to, text = call.Args[0], call.Args[1]
			if s.hasWriteString(to) {
				return
			}
		case s.isWrite(call) && len(call.Args) == 1:
			conversion, isCall := ast.Unparen(call.Args[0]).(*ast.CallExpr)
			method, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if !isCall || !isMethod || !s.converts(conversion, isBytes, isString) {
				return
			}
			to, text = method.X, conversion.Args[0]
		default:
			return
		}
		formatted, ok := ast.Unparen(text).(*ast.CallExpr)
		if !ok || !s.pure(to) || len(formatted.Args) == 0 || s.hasComment(call) {
			return
		}
		function, ok := map[string]string{
			"fmt.Sprintf": "Fprintf", "fmt.Sprint": "Fprint", "fmt.Sprintln": "Fprintln",
		}[s.fullName(formatted)]
		if !ok {
			return
		}
		switch s.TypesInfo.TypeOf(to).Underlying().(type) {
		case *types.Pointer, *types.Interface:
		default:
			return // an interface would need a copy of the value, or its address
		}
		qualifier := ast.Unparen(formatted.Fun).(*ast.SelectorExpr).X
		s.propose(call, "format into the Writer: the string is made only to be written", nil,
			edit(call.Pos(), call.End(), fmt.Sprintf("%s.%s(%s, %s)", s.text(qualifier), function, s.text(to),
				s.between(formatted.Args[0].Pos(), formatted.Rparen))))
	})
})

// hasWriteString reports whether a Writer has a method WriteString that is not known to do the same as its Write.
func (s *search) hasWriteString(to ast.Expr) bool {
	typ := s.TypesInfo.TypeOf(to)
	method, _, _ := types.LookupFieldOrMethod(typ, true, s.Pkg, "WriteString")
	return method != nil && !slices.Contains([]string{"*bytes.Buffer", "*strings.Builder", "*os.File"}, typ.String())
}
