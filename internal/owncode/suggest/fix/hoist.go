package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"
)

// hoistFunc moves a function literal that captures no variable of the loop, or a method value, out of the loop. A
// literal refers to the variables that it captures, so one literal sees the same values as a new one each time.
// Function values cannot be compared, so the program cannot observe the change.
var hoistFunc = newAnalyzer("hoistfunc", "make a function value once, before a loop", func(s *search) {
	s.each((*ast.FuncLit)(nil), func(c inspector.Cursor) {
		if call, ok := c.Parent().Node().(*ast.CallExpr); ok && call.Fun == c.Node() {
			return // it is called here, and needs no value
		}
		s.hoist(c, "do", "the function literal captures nothing that the loop declares: make it once, before the loop")
	})
	s.each((*ast.SelectorExpr)(nil), func(c inspector.Cursor) {
		method := c.Node().(*ast.SelectorExpr)
		if call, ok := c.Parent().Node().(*ast.CallExpr); (!ok || call.Fun != method) && s.steadyMethod(method, c) {
			s.hoist(c, unexported(method.Sel.Name)+"Func", fmt.Sprintf(
				"%s is the same function each time around: make its value once, before the loop", s.text(method)))
		}
	})
})

// unexported returns a name with a small first letter.
func unexported(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// steadyMethod reports whether an expression is a method value whose receiver is the address of a variable, or a
// pointer in a variable that nothing changes. To make the value then copies a pointer, which cannot panic.
func (s *search) steadyMethod(method *ast.SelectorExpr, c inspector.Cursor) bool {
	selection := s.TypesInfo.Selections[method]
	v := s.variable(method.X)
	if selection == nil || selection.Kind() != types.MethodVal || len(selection.Index()) != 1 || v == nil {
		return false
	}
	if _, ok := selection.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer); !ok {
		return false // the value has a copy of what the receiver is now
	}
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return true
	}
	return s.steady(c, v)
}

// steady reports whether nothing in the function around a node changes a variable that it declares, or takes its
// address.
func (s *search) steady(c inspector.Cursor, v *types.Var) bool {
	body := function(c)
	if body == nil || v.Pos() < body.Pos() || body.End() <= v.Pos() {
		return false
	}
	changed := false
	ast.Inspect(body, func(n ast.Node) bool {
		var targets []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			targets = n.Lhs
		case *ast.RangeStmt:
			targets = []ast.Expr{n.Key, n.Value}
		case *ast.IncDecStmt:
			targets = []ast.Expr{n.X}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				targets = []ast.Expr{n.X}
			}
		}
		for _, t := range targets {
			if name, ok := ast.Unparen(t).(*ast.Ident); ok && s.TypesInfo.Uses[name] == v {
				changed = true
			}
		}
		return true
	})
	return !changed
}

// function returns the declaration of the function around a node, nil for none.
func function(c inspector.Cursor) ast.Node {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return f.Node()
	}
	return nil
}

// loops returns the loops of a function in whose body a node is, the innermost first, up to one before which no
// statement can be written.
func loops(c inspector.Cursor) (found []ast.Stmt) {
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil),
		(*ast.FuncDecl)(nil)) {
		if outer == c {
			continue
		}
		var body *ast.BlockStmt
		switch loop := outer.Node().(type) {
		case *ast.ForStmt:
			body = loop.Body
		case *ast.RangeStmt:
			body = loop.Body
		default:
			return found
		}
		if n := c.Node(); n.Pos() < body.Pos() || body.End() <= n.Pos() {
			continue // in the loop's head
		}
		switch outer.Parent().Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			found = append(found, outer.Node().(ast.Stmt))
		default:
			return found // the loop has a label
		}
	}
	return found
}

// outside reports whether all that a node names is declared outside of a loop, or in the node itself.
func (s *search) outside(n ast.Node, loop ast.Stmt) bool {
	inside := false
	ast.Inspect(n, func(part ast.Node) bool {
		name, ok := part.(*ast.Ident)
		if !ok {
			return true
		}
		if object := s.TypesInfo.Uses[name]; object != nil {
			at := object.Pos()
			inside = inside || loop.Pos() <= at && at < loop.End() && (at < n.Pos() || n.End() <= at)
		}
		return true
	})
	return !inside
}

// outermost returns the outermost loop around a node that declares nothing of what the node names, nil for none.
func (s *search) outermost(c inspector.Cursor, n ast.Node) (found ast.Stmt) {
	for _, loop := range loops(c) {
		if !s.outside(n, loop) {
			break
		}
		found = loop
	}
	return found
}

// A hoisted is a name that a candidate declares in a function. Others there have other names, so that all can be made.
type hoisted struct {
	function ast.Node
	name     string
}

// endsLoop reports whether a node is in a return statement of the function around it, which is executed once at most.
func endsLoop(c inspector.Cursor) bool {
	for outer := range c.Enclosing((*ast.ReturnStmt)(nil), (*ast.FuncLit)(nil)) {
		if outer == c {
			continue
		}
		_, isReturn := outer.Node().(*ast.ReturnStmt)
		return isReturn
	}
	return false
}

// hoist proposes to evaluate an expression once, before the loops in which its value is the same.
func (s *search) hoist(c inspector.Cursor, name, message string) {
	e := c.Node().(ast.Expr)
	loop := s.outermost(c, e)
	if loop == nil || endsLoop(c) {
		return
	}
	in := function(c)
	name = s.free(name, in)
	for s.named[hoisted{in, name}] {
		name = s.free(name+"0", in)
	}
	s.named[hoisted{in, name}] = true
	s.propose(e, message, nil,
		edit(loop.Pos(), loop.Pos(), fmt.Sprintf("%s := %s\n%s", name, s.text(e), s.indent(loop.Pos()))),
		edit(e.Pos(), e.End(), name))
}
