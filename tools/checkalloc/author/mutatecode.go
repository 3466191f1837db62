package author

import (
	"go/ast"
	"go/token"
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
	assigning = map[token.Token]token.Token{
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN,
		token.QUO_ASSIGN: token.MUL_ASSIGN, token.REM_ASSIGN: token.MUL_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN,
		token.OR_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.AND_ASSIGN, token.SHL_ASSIGN: token.SHR_ASSIGN,
		token.SHR_ASSIGN: token.SHL_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN,
	}
	boundary = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
		token.GEQ: token.GTR}
)

// expression collects the mutants of one expression, without the mutants of the expressions in it.
func (m *maker) expression(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if to, ok := arithmetic[e.Op]; ok && !isText(e.X) && !isText(e.Y) && !isUnion(e) {
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

// isUnion reports whether e is a union of types in a constraint, which parses as an expression.
func isUnion(e *ast.BinaryExpr) bool {
	_, array := e.X.(*ast.ArrayType)
	return array
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
			if to, ok := assigning[s.Tok]; ok {
				m.add(arithmeticOperator, m.operator(s.TokPos, s.Tok, to))
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
			switch was {
			case "true":
				return "false"
			case "false":
				return "true"
			}
			return "!(" + was + ")"
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune",
			"float64", "float32":
			return "(" + was + ") + 1"
		case "string":
			other = `""`
		case "error", "any":
			other = "nil"
		default:
			if isStruct(t) {
				other = t.Name + "{}"
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

// isStruct reports whether a name is of a struct type that the file declares.
func isStruct(name *ast.Ident) bool {
	if name.Obj == nil {
		return false
	}
	spec, ok := name.Obj.Decl.(*ast.TypeSpec)
	if !ok {
		return false
	}
	_, ok = spec.Type.(*ast.StructType)
	return ok
}
