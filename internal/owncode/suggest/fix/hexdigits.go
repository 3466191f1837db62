package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// hexDigits writes the two hexadecimal digits of a byte to a strings.Builder or a bytes.Buffer without package fmt,
// which boxes the byte. Both write the same bytes, and neither can fail.
func hexDigits(s *search) {
	each(s, func(c inspector.Cursor, stmt *ast.ExprStmt) {
		call, ok := stmt.X.(*ast.CallExpr)
		if !ok || !s.calls(call, "fmt.Fprintf") || len(call.Args) != 3 || call.Ellipsis.IsValid() ||
			s.hasComment(call) || !isListed(c) {
			return
		}
		format := s.TypesInfo.Types[call.Args[1]].Value
		b := call.Args[2]
		if format == nil || !types.Identical(s.TypesInfo.TypeOf(b), types.Typ[types.Byte]) || !s.repeatable(b) ||
			s.TypesInfo.Types[b].Value != nil {
			return
		}
		parts := hexFormat.FindStringSubmatch(constant.StringVal(format))
		to := s.writes(call.Args[0])
		if parts == nil || to == "" || parts[1] != "" && s.variable(b) == nil {
			return // what panics must do so before anything is written
		}
		digits := "0123456789abcdef"
		if parts[2] == "X" {
			digits = strings.ToUpper(digits)
		}
		value := s.text(b)
		if _, isSum := ast.Unparen(b).(*ast.BinaryExpr); isSum {
			value = "(" + value + ")"
		}
		var lines []string
		write := func(text string) {
			text = strings.ReplaceAll(text, "%%", "%")
			if len(text) == 1 && text[0] < 0x80 {
				lines = append(lines, fmt.Sprintf("%s.WriteByte(%s)", to, strconv.QuoteRune(rune(text[0]))))
			} else if text != "" {
				lines = append(lines, fmt.Sprintf("%s.WriteString(%s)", to, strconv.Quote(text)))
			}
		}
		write(parts[1])
		lines = append(lines, fmt.Sprintf("%s.WriteByte(%q[%s>>4])", to, digits, value),
			fmt.Sprintf("%s.WriteByte(%q[%s&0xf])", to, digits, value))
		write(parts[3])
		s.propose(call, "write the two digits themselves: package fmt boxes the byte", nil,
			edit(stmt.Pos(), stmt.End(), strings.Join(lines, "\n"+s.indent(stmt.Pos()))))
	})
}

// hexFormat matches a format whose only verb is %02x or %02X.
var hexFormat = regexp.MustCompile(`(?s)^((?:[^%]|%%)*)%02([xX])((?:[^%]|%%)*)$`)

// repeatable reports whether a byte can be evaluated twice: a name, or an element of something named by a name, which
// package fmt would also have evaluated.
func (s *search) repeatable(e ast.Expr) bool {
	if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		if _, isMap := s.TypesInfo.TypeOf(index.X).Underlying().(*types.Map); isMap {
			return false
		}
		return s.pure(index.X) && s.pure(index.Index)
	}
	return s.pure(e)
}

// writes returns the text of the strings.Builder or bytes.Buffer of which an expression is the address, or a pointer to
// one, "" for anything else.
func (s *search) writes(to ast.Expr) string {
	pointer, ok := s.TypesInfo.TypeOf(to).(*types.Pointer)
	if !ok {
		return ""
	}
	if t := pointer.Elem().String(); t != "strings.Builder" && t != "bytes.Buffer" {
		return ""
	}
	if address, ok := ast.Unparen(to).(*ast.UnaryExpr); ok && address.Op == token.AND {
		to = address.X
	}
	if !s.pure(to) {
		return ""
	}
	return s.text(to)
}
