package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// concat joins several strings by + in place of fmt.Sprintf, which puts each into an interface. perfsprint does so for
// a single one.
var concat = newAnalyzer("concat", "join strings without package fmt", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		if !s.calls(call, "fmt.Sprintf") || call.Ellipsis.IsValid() || len(call.Args) < 3 || s.hasComment(call) {
			return
		}
		switch parent := c.Parent().Node().(type) {
		case *ast.IndexExpr:
			if parent.X == call {
				return // the operator would need parentheses
			}
		case *ast.SliceExpr, *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
			return
		}
		if !s.readsInAnyOrder(c, call.Args[1:]) {
			return
		}
		if joined, imports := s.joined(call); joined != "" {
			s.propose(call, "the format only joins strings: join them without package fmt", nil,
				append(imports, edit(call.Pos(), call.End(), joined))...)
		}
	})
})

// hasComment reports whether a comment is in a node.
func (s *search) hasComment(n ast.Node) bool {
	for _, group := range s.file(n).Comments {
		if n.Pos() < group.Pos() && group.Pos() < n.End() {
			return true
		}
	}
	return false
}

// readsInAnyOrder reports whether no call in a list of operands can change another operand. A call of Sprintf reads a
// variable before the calls that follow it, and + reads it after them.
func (s *search) readsInAnyOrder(c inspector.Cursor, operands []ast.Expr) bool {
	if allOf(operands, s.callsOnlyHarmless) {
		return true
	}
	return allOf(operands, func(e ast.Expr) bool {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && !s.TypesInfo.Types[call.Fun].IsType() {
			return true // calls keep their order
		}
		v := s.variable(e)
		return s.TypesInfo.Types[e].Value != nil || v != nil && function(c) != nil && !s.isShared(function(c), v)
	})
}

// isShared reports whether a function takes the address of a variable, or uses it in a function literal, so that a call
// may change it.
func (s *search) isShared(body ast.Node, v *types.Var) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || len(s.uses(n, v)) > 0
		case *ast.UnaryExpr:
			found = found || n.Op.String() == "&" && s.root(n.X) == v
		}
		return !found
	})
	return found
}

// joined writes the expression that joins what a call of Sprintf formats. It is "" unless the format has only "%s" and
// "%v" for strings, and "%d" and "%v" for numbers of type int.
func (s *search) joined(call *ast.CallExpr) (text string, imports []analysis.TextEdit) {
	value := s.TypesInfo.Types[call.Args[0]].Value
	if value == nil || value.Kind() != constant.String {
		return "", nil
	}
	format, args := constant.StringVal(value), call.Args[1:]
	raw := strings.HasPrefix(s.text(call.Args[0]), "`")
	var terms []string
	literal := ""
	flush := func() {
		switch {
		case literal == "":
			return
		case raw && strconv.CanBackquote(literal):
			literal = "`" + literal + "`"
		default:
			literal = strconv.Quote(literal)
		}
		terms, literal = append(terms, literal), ""
	}
	for {
		before, after, found := strings.Cut(format, "%")
		literal += before
		if !found {
			break
		}
		if after == "" {
			return "", nil
		}
		verb := after[0]
		format = after[1:]
		if verb == '%' {
			literal += "%"
			continue
		}
		if len(args) == 0 {
			return "", nil
		}
		flush()
		term, more := s.term(call, args[0], verb)
		if term == "" {
			return "", nil
		}
		terms, imports, args = append(terms, term), append(imports, more...), args[1:]
	}
	flush()
	if len(args) > 0 {
		return "", nil
	}
	if text = strings.Join(terms, " + "); len(text) > longLine {
		text = strings.Join(terms, " +\n"+s.indent(call.Pos())+"\t")
	}
	return text, imports
}

// longLine bounds a concatenation that is written on one line.
const longLine = 100

// term writes an operand of a format as a string, "" if the verb does more than that.
func (s *search) term(call *ast.CallExpr, e ast.Expr, verb byte) (text string, imports []analysis.TextEdit) {
	t := types.Unalias(s.TypesInfo.TypeOf(e))
	basic, isBasic := t.(*types.Basic)
	switch {
	case isBasic && basic.Kind() == types.String && (verb == 's' || verb == 'v'):
		return s.text(e), nil
	case isBasic && basic.Kind() == types.Int && (verb == 'd' || verb == 'v'):
		name, imports := s.importing(s.file(call), "strconv")
		if name == "" {
			return "", nil
		}
		return fmt.Sprintf("%s.Itoa(%s)", name, s.text(e)), imports
	}
	return "", nil
}
