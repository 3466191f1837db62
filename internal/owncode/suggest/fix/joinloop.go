package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// joinLoop builds a string that a loop adds to by +=, in a strings.Builder with room for all of it: a first loop adds
// up the lengths. Both loops see the same strings, because the body does nothing else. The string is the same, and is
// set after the loop.
func joinLoop(s *search) {
	if s.olderThan("go1.10") {
		return
	}
	each(s, func(c inspector.Cursor, loop *ast.RangeStmt) {
		if len(loop.Body.List) != 1 || loop.Tok != token.DEFINE || s.rangeLength(loop) == "" || s.hasComment(loop) ||
			function(c) == nil {
			return
		}
		add, ok := loop.Body.List[0].(*ast.AssignStmt)
		if !ok || add.Tok != token.ADD_ASSIGN || !isString(s.TypesInfo.TypeOf(add.Lhs[0])) {
			return
		}
		v := s.variable(add.Lhs[0])
		if v == nil || v.Type().String() != "string" || len(s.uses(loop, v)) != 1 {
			return
		}
		before, ok := c.PrevSibling()
		if !ok || !s.declaresNoText(before.Node(), v) {
			return
		}
		var length int64
		var lengths, writes []string
		as, imports := s.importing(s.file(loop), "strings")
		name := s.free(v.Name()+"Builder", s.file(loop))
		for _, part := range terms(add.Rhs[0]) {
			text := s.text(part)
			if value := s.TypesInfo.Types[part].Value; value != nil {
				length += int64(len(constant.StringVal(value)))
			} else if _, isName := ast.Unparen(part).(*ast.Ident); isName &&
				s.TypesInfo.TypeOf(part).String() == "string" {
				lengths = append(lengths, "len("+text+")")
			} else {
				return
			}
			writes = append(writes, fmt.Sprintf("%s.WriteString(%s)", name, text))
		}
		if as == "" || len(lengths) == 0 {
			return // modernize-builder knows the rest
		}
		if length > 0 {
			lengths = append(lengths, fmt.Sprint(length))
		}
		in := "\n" + s.indent(loop.Pos())
		size := s.free(v.Name()+"Size", s.file(loop))
		head := s.between(loop.Pos(), loop.Body.Lbrace)
		text := strings.Join([]string{
			size + " := 0",
			head + "{",
			"\t" + size + " += " + strings.Join(lengths, " + "),
			"}",
			"var " + name + " " + as + ".Builder",
			name + ".Grow(" + size + ")",
			head + "{",
			"\t" + strings.Join(writes, in+"\t"),
			"}",
			v.Name() + " = " + name + ".String()",
		}, in)
		s.propose(loop, v.Name()+" is copied each time around: build it at once, with room for all of it",
			[]token.Pos{add.Pos()}, append(imports, edit(loop.Pos(), loop.End(), text))...)
	})
}

// declaresNoText reports whether a statement declares a variable with an empty string.
func (s *search) declaresNoText(stmt ast.Node, v *types.Var) bool {
	declared, value := s.defines(stmt)
	text := s.TypesInfo.Types[value].Value
	return declared == v && (value == nil || text != nil && constant.StringVal(text) == "")
}

// terms returns the operands of a sum, in order.
func terms(e ast.Expr) []ast.Expr {
	if sum, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return append(terms(sum.X), terms(sum.Y)...)
	}
	return []ast.Expr{e}
}
