package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// appendText appends text to a slice by a function that appends. It replaces a function that makes a string, which
// append copies and nothing else uses: a call, or a variable that the statement before sets to a call. The bytes are
// the same.
func appendText(s *search) {
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		if s.builtin(call) != "append" || !call.Ellipsis.IsValid() || len(call.Args) != 2 {
			return
		}
		slice, ok := s.TypesInfo.TypeOf(call.Args[0]).(*types.Slice)
		if !ok || !types.Identical(slice.Elem(), types.Typ[types.Byte]) || !s.pure(call.Args[0]) {
			return
		}
		at := ast.Node(call)
		var edits []analysis.TextEdit
		text, isCall := ast.Unparen(call.Args[1]).(*ast.CallExpr)
		if v := s.variable(call.Args[1]); v != nil {
			made, set, use := s.onlyUse(c, v)
			if isCall = made != nil; isCall {
				text, at, edits = made, set, append(edits, edit(set.Pos(), use.Pos(), ""))
			}
		}
		if !isCall {
			return
		}
		if appended := s.appended(text, s.text(call.Args[0])); appended != "" {
			s.propose(at, "append the text itself: the string is made only to be copied", []token.Pos{call.Pos()},
				append(edits, edit(call.Pos(), call.End(), appended))...)
		}
	})
}

// appending names the functions that append what others return as a string.
var appending = map[string]string{
	"(time.Time).Format": "AppendFormat", "strconv.FormatInt": "AppendInt", "strconv.FormatUint": "AppendUint",
	"strconv.FormatFloat": "AppendFloat", "strconv.FormatBool": "AppendBool", "strconv.Quote": "AppendQuote",
	"strconv.QuoteToASCII": "AppendQuoteToASCII", "strconv.Itoa": "AppendInt",
	"fmt.Sprintf": "Appendf", "fmt.Sprint": "Append", "fmt.Sprintln": "Appendln",
}

// appended writes a call that appends to buf what another call returns as a string, "" if there is none.
func (s *search) appended(call *ast.CallExpr, buf string) string {
	f := s.callee(call)
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || f == nil || appending[f.FullName()] == "" {
		return ""
	}
	isFmt := strings.HasPrefix(f.FullName(), "fmt.")
	if isFmt && s.olderThan("go1.19") || !isFmt && call.Ellipsis.IsValid() {
		return "" // there is no Append, Appendf and Appendln
	}
	arguments := ""
	if len(call.Args) > 0 {
		arguments = ", " + s.between(call.Args[0].Pos(), call.Rparen)
	}
	if f.Name() == "Itoa" {
		arguments = fmt.Sprintf(", int64(%s), 10", s.text(call.Args[0]))
	}
	return fmt.Sprintf("%s.%s(%s%s)", s.text(selector.X), appending[f.FullName()], buf, arguments)
}
