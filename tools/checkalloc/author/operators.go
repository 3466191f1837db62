package author

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/harness"
)

// The operators that replace each other. Each token has one replacement of each kind, since a second one rarely finds
// more.
var (
	arithmetic = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
		token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
		token.AND_NOT: token.AND,
	}
	boundary = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
		token.GEQ: token.GTR}
)

// expression collects the mutants of one expression, without the mutants of the expressions in it.
func (m *maker) expression(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		_, union := e.X.(*ast.ArrayType) // of types in a constraint, which parses as an expression
		if to, ok := arithmetic[e.Op]; ok && !isText(e.X) && !isText(e.Y) && !union {
			m.add(arithmeticOperator, m.operator(e.OpPos, e.Op, to))
		}
		if to, ok := boundary[e.Op]; ok {
			m.add(boundaryOperator, m.operator(e.OpPos, e.Op, to))
		}
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			m.add(arithmeticOperator, m.operator(e.OpPos, e.Op, token.ADD))
		}
	case *ast.ArrayType:
		m.length = e.Len // array makes its mutants
	case *ast.BasicLit:
		if e != m.length {
			m.literal(e)
		}
	}
	m.size(e)
	m.array(e)
	m.leaveOutCopy(e)
	m.leaveOutReslice(e)
}

// operator replaces an operator. The new one must not join the next character to a comment or to another operator.
func (m *maker) operator(at token.Pos, from, to token.Token) harness.Edit {
	e := harness.Edit{From: m.offset(at), To: m.offset(at) + len(from.String()), Text: to.String()}
	if next := m.source[e.To]; strings.IndexByte("*/&+-<=", next) >= 0 {
		e.Text += " "
	}
	return e
}

func isText(e ast.Expr) bool {
	if b, ok := e.(*ast.BinaryExpr); ok {
		return isText(b.X) || isText(b.Y)
	}
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// literal increments and decrements a constant.
func (m *maker) literal(l *ast.BasicLit) {
	switch l.Kind {
	case token.INT:
		n, err := strconv.ParseInt(l.Value, 0, 64)
		if err != nil {
			return
		}
		m.add(constantOperator, m.replace(l, strconv.FormatInt(n+1, 10)))
		if n > 0 {
			m.add(constantOperator, m.replace(l, strconv.FormatInt(n-1, 10)))
		}
	case token.CHAR:
		m.add(constantOperator, m.replace(l, "("+l.Value+"+1)"))
		m.add(constantOperator, m.replace(l, "("+l.Value+"-1)"))
	}
}

// statements collects the mutants of the statements in a block, without the mutants of the statements nested in them.
func (m *maker) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			// The tokens of assignments, such as +=, are in the same order as the tokens of their operators.
			const assigning = token.ADD_ASSIGN - token.ADD
			if to, ok := arithmetic[s.Tok-assigning]; ok {
				m.add(arithmeticOperator, m.operator(s.TokPos, s.Tok, to+assigning))
			}
			m.leaveOut(s)
			m.limitGrowth(s)
		case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt,
			*ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.IncDecStmt, *ast.BranchStmt:
			m.leaveOut(s)
		}
	}
}

// leaveOut removes a statement.
func (m *maker) leaveOut(s ast.Stmt) {
	m.add(statementOperator, m.replace(s, "{ "+m.locals(s)+"}"))
}

// results changes what a function returns, as the types of its results allow.
func (m *maker) results(t *ast.FuncType, body *ast.BlockStmt) {
	if t.Results == nil {
		return
	}
	var types []ast.Expr
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			types = append(types, f.Type)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		r, ok := n.(*ast.ReturnStmt)
		if !ok || len(r.Results) != len(types) {
			return true
		}
		for i, e := range r.Results {
			if other := m.another(types[i], e); other != "" {
				// "_ = x" is an edit of its own, so that it does not appear in the line that is shown.
				edits := []harness.Edit{m.replace(e, other)}
				if use := m.locals(e); use != "" {
					edits = append(edits, m.insert(r.Pos(), use))
				}
				m.add(resultOperator, edits...)
			}
		}
		return true
	})
}

// another returns a value of type t other than e, "" for none.
func (m *maker) another(t, e ast.Expr) string {
	was := m.text(e)
	other := ""
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return cmp.Or(map[string]string{"true": "false", "false": "true"}[was], "!("+was+")")
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune",
			"float64", "float32":
			return "(" + was + ") + 1"
		case "string":
			other = `""`
		case "error", "any":
			other = "nil"
		default:
			if t.Obj == nil {
				break
			}
			if spec, ok := t.Obj.Decl.(*ast.TypeSpec); ok {
				if _, ok := spec.Type.(*ast.StructType); ok { // that the file declares
					other = t.Name + "{}"
				}
			}
		}
	case *ast.StarExpr, *ast.MapType:
		other = "nil"
	case *ast.ArrayType:
		if t.Len == nil {
			other = "nil"
		}
	}
	if other == was {
		return ""
	}
	return other
}

// The constants that replace sizes: lengths in bytes, and numbers of larger elements. They are powers of 2 from 16 to 1
// MiB, since people choose such sizes.
var (
	bytesSizes   = []int{16, 256, 4096, 128 << 10, 1 << 20}
	elementSizes = []int{16, 256, 2048, 16 << 10}
)

// sizes are the constants for a slice or an array with elements of type elem, which may be nil.
func sizes(elem ast.Expr) []int {
	if id, ok := elem.(*ast.Ident); ok && (id.Name == "byte" || id.Name == "string") {
		return bytesSizes
	}
	return elementSizes
}

// size replaces the length or the capacity of a slice that e makes by constants.
func (m *maker) size(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || called(call) != "make" || len(call.Args) < 2 {
		return
	}
	slice, ok := call.Args[0].(*ast.ArrayType)
	if !ok {
		return
	}
	last := call.Args[len(call.Args)-1]
	_, constant := last.(*ast.BasicLit)
	for _, k := range sizes(slice.Elt) {
		if len(call.Args) == 3 {
			m.add(sizeOperator, m.replace(last, strconv.Itoa(k)))
		} else if !constant {
			m.add(sizeOperator, m.replace(call, fmt.Sprintf("make(%s, %d)[:%s]", m.text(slice), k, m.text(last))))
			m.add(limitOperator, m.replace(last, fmt.Sprintf("min(%s, %d)", m.text(last), k)))
		}
	}
}

// array changes the length of an array.
func (m *maker) array(e ast.Expr) {
	a, ok := e.(*ast.ArrayType)
	if !ok || a.Len == nil {
		return
	}
	if _, dots := a.Len.(*ast.Ellipsis); dots {
		return
	}
	for _, k := range sizes(a.Elt) {
		m.add(sizeOperator, m.replace(a.Len, strconv.Itoa(k)))
	}
}

// limitArguments truncates slices and strings to constant lengths: arguments of exported functions.
func (m *maker) limitArguments(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	for _, f := range d.Type.Params.List {
		elem := f.Type
		if a, ok := elem.(*ast.ArrayType); ok && a.Len == nil {
			elem = a.Elt
		} else if id, ok := elem.(*ast.Ident); !ok || id.Name != "string" {
			continue
		}
		for _, name := range f.Names {
			if name.Name == "_" {
				continue
			}
			for _, k := range sizes(elem) {
				m.add(limitOperator, m.insert(d.Body.Lbrace+1, fmt.Sprintf(" %[1]s = %[1]s[:min(len(%[1]s), %[2]d)]; ",
					name.Name, k)))
			}
		}
	}
}

// limitGrowth truncates a slice that outlives the call, x in x = append(x, …), once it has grown beyond a constant
// length.
func (m *maker) limitGrowth(s *ast.AssignStmt) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return
	}
	_, local := s.Lhs[0].(*ast.Ident)
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if local || !ok || called(call) != "append" || len(call.Args) < 2 {
		return
	}
	if !slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool { _, literal := e.(*ast.BasicLit); return !literal }) {
		return // appending a few constants makes no long slice
	}
	for _, k := range elementSizes {
		m.add(limitOperator, m.insert(s.End(), fmt.Sprintf("; %[1]s = (%[1]s)[:min(len(%[1]s), %[2]d)]",
			m.text(s.Lhs[0]), k)))
	}
}

// called returns the name of the called function as written, "append" or "slices.Clone".
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			return id.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// leaveOutCopy leaves out a copy that e makes.
func (m *maker) leaveOutCopy(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch first := m.text(call.Args[0]); called(call) {
	case "copy":
		if len(call.Args) == 2 {
			// A statement that copies is removed as a whole instead.
			m.add(copyOperator, m.replace(call, fmt.Sprintf("min(len(%s), len(%s))", first, m.text(call.Args[1]))))
		}
	case "slices.Clone", "bytes.Clone", "strings.Clone", "maps.Clone", "string":
		m.add(copyOperator, m.replace(call, first))
	}
}

// leaveOutReslice replaces x[:0] by x.
func (m *maker) leaveOutReslice(e ast.Expr) {
	s, ok := e.(*ast.SliceExpr)
	if !ok || s.Max != nil {
		return
	}
	if high, ok := s.High.(*ast.BasicLit); ok && high.Value == "0" {
		m.add(resetOperator, m.replace(s, m.text(s.X)))
	}
}
