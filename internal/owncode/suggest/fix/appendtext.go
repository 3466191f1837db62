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
// append copies and nothing else uses. The bytes are the same.
var appendText = newAnalyzer("appendtext", "append text instead of making a string", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		switch {
		case s.builtin(call) == "append" && call.Ellipsis.IsValid() && len(call.Args) == 2:
			s.appendString(c, call)
		case s.calls(call, "(*bytes.Buffer).WriteString", "(*strings.Builder).WriteString",
			"(*bufio.Writer).WriteString"):
			s.writeFormatted(call)
		}
	})
})

// appendString proposes an edit for append(buf, text...) where text is a call, or a variable that the statement before
// sets to a call and nothing else uses.
func (s *search) appendString(c inspector.Cursor, call *ast.CallExpr) {
	slice, ok := s.TypesInfo.TypeOf(call.Args[0]).(*types.Slice)
	if !ok || !types.Identical(slice.Elem(), types.Typ[types.Byte]) || !s.pure(withoutSlicing(call.Args[0])) {
		return
	}
	if text, ok := ast.Unparen(call.Args[1]).(*ast.CallExpr); ok {
		if appended, imports := s.appended(text, s.text(call.Args[0])); appended != "" {
			s.propose(call, "append the text itself: the string is made only to be copied", nil,
				append(imports, edit(call.Pos(), call.End(), appended))...)
		}
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
	if !ok || set.Tok != token.DEFINE || len(set.Lhs) != 1 || s.TypesInfo.Defs[set.Lhs[0].(*ast.Ident)] != v {
		return
	}
	var function ast.Node
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		function = f.Node()
	}
	text, ok := ast.Unparen(set.Rhs[0]).(*ast.CallExpr)
	if !ok || function == nil || len(s.uses(function, v)) != 1 {
		return
	}
	if appended, imports := s.appended(text, s.text(call.Args[0])); appended != "" {
		s.propose(set, "append the text itself: the string is made only to be copied", []token.Pos{call.Pos()},
			append(imports, edit(set.Pos(), stmt.Node().Pos(), ""), edit(call.Pos(), call.End(), appended))...)
	}
}

// withoutSlicing returns the slice that is cut by constants, as in buf[:0], and any other expression as it is.
func withoutSlicing(e ast.Expr) ast.Expr {
	if cut, ok := ast.Unparen(e).(*ast.SliceExpr); ok && cut.Low == nil && cut.Max == nil {
		if _, ok := cut.High.(*ast.BasicLit); ok || cut.High == nil {
			return cut.X
		}
	}
	return e
}

// firstCall reports whether a statement evaluates nothing with an effect before a call, which is then moved no further
// than past names.
func (s *search) firstCall(stmt ast.Node, call *ast.CallExpr) bool {
	var values []ast.Expr
	switch n := stmt.(type) {
	case *ast.AssignStmt:
		if !allOf(n.Lhs, s.pure) {
			return false
		}
		values = n.Rhs
	case *ast.ReturnStmt:
		values = n.Results
	}
	return len(values) > 0 && ast.Unparen(values[0]) == call
}

// appended writes a call that appends to buf what another call returns as a string, "" if there is none.
func (s *search) appended(call *ast.CallExpr, buf string) (text string, imports []analysis.TextEdit) {
	if call.Ellipsis.IsValid() && !s.calls(call, "fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln") {
		return "", nil
	}
	arguments := ""
	if len(call.Args) > 0 {
		arguments = ", " + s.between(call.Args[0].Pos(), call.Rparen)
	}
	qualified := func(name string) string {
		return fmt.Sprintf("%s.%s(%s%s)", s.text(ast.Unparen(call.Fun).(*ast.SelectorExpr).X), name, buf, arguments)
	}
	f := s.callee(call)
	if _, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); !ok || f == nil {
		return "", nil
	}
	if strings.HasPrefix(f.FullName(), "fmt.") && s.olderThan("go1.19") {
		return "", nil // there is no Append, Appendf and Appendln
	}
	switch f.FullName() {
	case "(time.Time).Format":
		return qualified("AppendFormat"), nil
	case "strconv.FormatInt":
		return qualified("AppendInt"), nil
	case "strconv.FormatUint":
		return qualified("AppendUint"), nil
	case "strconv.FormatFloat":
		return qualified("AppendFloat"), nil
	case "strconv.FormatBool":
		return qualified("AppendBool"), nil
	case "strconv.Quote":
		return qualified("AppendQuote"), nil
	case "strconv.QuoteToASCII":
		return qualified("AppendQuoteToASCII"), nil
	case "strconv.Itoa":
		arguments = fmt.Sprintf(", int64(%s), 10", s.text(call.Args[0]))
		return qualified("AppendInt"), nil
	case "fmt.Sprintf":
		return qualified("Appendf"), nil
	case "fmt.Sprint":
		return qualified("Append"), nil
	case "fmt.Sprintln":
		return qualified("Appendln"), nil
	}
	return "", nil
}

// writeFormatted proposes an edit for b.WriteString(text) where text is a call that formats.
func (s *search) writeFormatted(call *ast.CallExpr) {
	text, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if !ok {
		return
	}
	to := ast.Unparen(call.Fun).(*ast.SelectorExpr).X
	if !s.pure(to) {
		return
	}
	const message = "write the text itself: the string is made only to be copied"
	if name, ok := map[string]string{
		"fmt.Sprintf": "Fprintf", "fmt.Sprint": "Fprint", "fmt.Sprintln": "Fprintln",
	}[s.fullName(text)]; ok {
		writer := s.text(to)
		if _, isPointer := s.TypesInfo.TypeOf(to).Underlying().(*types.Pointer); !isPointer {
			writer = "&" + writer
		}
		arguments := ""
		if len(text.Args) > 0 {
			arguments = ", " + s.between(text.Args[0].Pos(), text.Rparen)
		}
		s.propose(call, message, nil, edit(call.Pos(), call.End(), fmt.Sprintf("%s.%s(%s%s)",
			s.text(ast.Unparen(text.Fun).(*ast.SelectorExpr).X), name, writer, arguments)))
		return
	}
	// Digits need no room on the heap: the array of a constant size stays on the stack. A function that is called for
	// an argument may write to the buffer too, over its available room.
	room := "make([]byte, 0, 64)"
	available := map[string]string{"(*bytes.Buffer).WriteString": "go1.21", "(*bufio.Writer).WriteString": "go1.18"}
	since := available[s.fullName(call)]
	if since != "" && !s.olderThan(since) && allOf(text.Args, s.callsOnlyHarmless) {
		room = s.text(to) + ".AvailableBuffer()"
	} else if s.fullName(text) == "strconv.Quote" {
		return
	}
	if appended, imports := s.appended(text, room); appended != "" {
		s.propose(call, message, nil, append(imports, edit(call.Pos(), call.End(),
			s.text(to)+".Write("+appended+")"))...)
	}
}

// fullName returns the full name of the called function, or "" if it is not known.
func (s *search) fullName(call *ast.CallExpr) string {
	if f := s.callee(call); f != nil {
		return f.FullName()
	}
	return ""
}
