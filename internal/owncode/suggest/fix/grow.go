package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"
)

// grow gives a strings.Builder or a bytes.Buffer its room before the writes that follow its declaration, as far as the
// code shows how much they write. Only the capacity changes. The Bytes of an empty bytes.Buffer would no longer be nil,
// so that a function that asks for these is left alone.
var grow = newAnalyzer("grow", "give a builder its room at once", func(s *search) {
	s.each((*ast.DeclStmt)(nil), func(c inspector.Cursor) {
		g := c.Node().(*ast.DeclStmt).Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || len(g.Specs) != 1 {
			return
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) != 1 || len(spec.Values) > 0 {
			return
		}
		v, ok := s.TypesInfo.Defs[spec.Names[0]].(*types.Var)
		if !ok || v.Type().String() != "strings.Builder" && v.Type().String() != "bytes.Buffer" ||
			function(c) == nil || !s.onlyWritten(function(c), v) {
			return
		}
		r := &capacity{search: s, v: v}
		for next, ok := c.NextSibling(); ok && r.add(next.Node()); next, ok = next.NextSibling() {
			if r.first == nil {
				r.first = next.Node()
			}
			r.places = append(r.places, next.Node().Pos())
		}
		if size := r.String(); size != "" {
			at := r.first.Pos()
			message := fmt.Sprintf("make room at once for the %s bytes that are written to %s", size, v.Name())
			s.propose(r.first, message, r.places,
				edit(at, at, fmt.Sprintf("%s.Grow(%s)\n%s", v.Name(), size, s.indent(at))))
		}
	})
})

// writing are the methods of both types that write or that do not show the capacity.
var writing = []string{"Write", "WriteString", "WriteByte", "WriteRune", "String", "Len"}

// onlyWritten reports whether a function uses a Builder or a Buffer only to call such methods, or passes the address of
// a Builder.
func (s *search) onlyWritten(body ast.Node, v *types.Var) bool {
	good := 0
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s.isVariable(n.X, v) && slices.Contains(writing, n.Sel.Name) {
				good++
			}
		case *ast.UnaryExpr:
			_, isArgument := stack[len(stack)-1].(*ast.CallExpr)
			if n.Op == token.AND && s.isVariable(n.X, v) && isArgument && v.Type().String() == "strings.Builder" {
				good++
			}
		}
		return true
	})
	return good == len(s.uses(body, v))
}

// A capacity adds up how many bytes the statements write to a variable, which then needs that capacity.
type capacity struct {
	*search
	v        *types.Var
	first    ast.Node
	places   []token.Pos
	constant int64
	terms    []string
	writes   int
	over     bool // after a loop, in which what is written later may change
}

// String returns the sum as an expression, "" if room for it saves nothing.
func (r *capacity) String() string {
	if r.writes < 2 {
		return ""
	}
	terms := r.terms
	if r.constant > 0 {
		terms = append(slices.Clip(terms), strconv.FormatInt(r.constant, 10))
	}
	return strings.Join(terms, " + ")
}

// add adds what a statement writes. It reports whether the statement does nothing else.
func (r *capacity) add(stmt ast.Node) bool {
	if r.over {
		return false
	}
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		constant, term, ok := r.written(n)
		if !ok {
			return false
		}
		r.constant += constant
		if term != "" {
			r.terms = append(r.terms, term)
		}
		r.writes++
		return true
	case *ast.RangeStmt:
		count := r.rangeLength(n)
		if isString(r.TypesInfo.TypeOf(n.X)) && r.pure(n.X) && r.TypesInfo.Types[n.X].Value == nil {
			count = "len(" + r.text(n.X) + ")"
		}
		return r.addLoop(n, n.Body, count)
	case *ast.ForStmt:
		return r.addLoop(n, n.Body, r.countedLength(n))
	}
	return false
}

// addLoop adds what a loop that goes around count times writes each time, as far as that is constant.
func (r *capacity) addLoop(loop ast.Stmt, body *ast.BlockStmt, count string) bool {
	r.over = true
	if count == "" {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.ExprStmt); ok {
			r.places = append(r.places, stmt.Pos()) // the write that grows the variable may be anywhere in the loop
		}
		return true
	})
	var each int64
	for _, stmt := range body.List {
		if mayContinue(stmt) {
			break
		}
		if n, ok := stmt.(*ast.ExprStmt); ok {
			each += r.least(n)
		}
	}
	switch {
	case each == 0:
		return false
	case each == 1:
		r.terms = append(r.terms, count)
	default:
		r.terms = append(r.terms, fmt.Sprintf("%d*%s", each, operand(count)))
	}
	r.writes += 2
	return true
}

// method returns the method call on the variable in stmt, and the method's name. call is nil if stmt is anything else.
func (r *capacity) method(stmt *ast.ExprStmt) (call *ast.CallExpr, name string) {
	call, ok := stmt.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !r.isVariable(method.X, r.v) {
		return nil, ""
	}
	return call, method.Sel.Name
}

// least returns how many bytes a statement writes at least, whatever it evaluates.
func (r *capacity) least(stmt *ast.ExprStmt) int64 {
	call, name := r.method(stmt)
	if call == nil {
		return 0
	}
	value := r.TypesInfo.Types[call.Args[0]].Value
	switch {
	case name == "WriteString" && value != nil:
		return int64(len(constant.StringVal(value)))
	case name == "WriteRune" && value != nil:
		if n, exact := constant.Int64Val(constant.ToInt(value)); exact {
			return int64(max(utf8.RuneLen(rune(n)), 1))
		}
		return 1
	case name == "WriteByte", name == "WriteRune":
		return 1
	}
	return 0
}

// written returns how many bytes a statement writes to the variable: a constant number, or the expression for it. It is
// not ok if the statement does anything else, or may write any number.
func (r *capacity) written(stmt *ast.ExprStmt) (number int64, term string, ok bool) {
	call, name := r.method(stmt)
	if call == nil {
		return 0, "", false
	}
	arg := call.Args[0]
	switch isConstant := r.TypesInfo.Types[arg].Value != nil; {
	case name == "WriteByte", name == "WriteRune":
		return r.least(stmt), "", r.callsNothing(arg)
	case name == "WriteString" && isConstant:
		return r.least(stmt), "", true
	case (name == "WriteString" || name == "Write") && r.pure(arg):
		return 0, "len(" + r.text(arg) + ")", true
	}
	return 0, "", false
}

// callsNothing reports whether an expression calls no function.
func (r *capacity) callsNothing(e ast.Expr) bool {
	fine := true
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !r.TypesInfo.Types[call.Fun].IsType() && r.builtin(call) == "" {
			fine = false
		}
		return fine
	})
	return fine
}
