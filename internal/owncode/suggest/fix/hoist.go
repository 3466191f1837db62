package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"
)

// hoistFunc moves a function literal that captures no variable of the loop, or a method value, out of the loop. A
// literal refers to the variables that it captures, so one literal sees the same values as a new one each time.
// Function values cannot be compared, so the program cannot observe the change.
func hoistFunc(s *search) {
	each(s, func(c inspector.Cursor, literal *ast.FuncLit) {
		if call, ok := c.Parent().Node().(*ast.CallExpr); ok && call.Fun == literal {
			return // it is called here, and needs no value
		}
		s.hoist(c, "do", "the function literal captures nothing that the loop declares: make it once, before the loop")
	})
	each(s, func(c inspector.Cursor, method *ast.SelectorExpr) {
		if call, ok := c.Parent().Node().(*ast.CallExpr); (!ok || call.Fun != method) && s.steadyMethod(method, c) {
			s.hoist(c, unexported(method.Sel.Name)+"Func", fmt.Sprintf(
				"%s is the same function in each iteration: make its value once, before the loop", s.text(method)))
		}
	})
}

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
	f := function(c)
	return f != nil && f.Pos() <= v.Pos() && v.Pos() < f.End() && !s.assigns(f, v)
}

// outermost returns the outermost loop around a node before which a statement can be written, and which declares
// nothing of what the node names. It is nil for none.
func (s *search) outermost(c inspector.Cursor) (found ast.Stmt) {
	n := c.Node()
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil),
		(*ast.FuncDecl)(nil)) {
		var body *ast.BlockStmt
		switch loop := outer.Node().(type) {
		case *ast.ForStmt:
			body = loop.Body
		case *ast.RangeStmt:
			body = loop.Body
		default:
			if outer == c {
				continue
			}
			return found
		}
		if n.Pos() < body.Pos() || body.End() <= n.Pos() {
			continue // in the loop's head
		}
		if !isListed(outer) || !s.outside(n, outer.Node()) {
			return found // the loop has a label, or declares something
		}
		found = outer.Node().(ast.Stmt)
	}
	return found
}

// outside reports whether all that a node names is declared outside of a loop, or in the node itself.
func (s *search) outside(n, loop ast.Node) bool {
	inside := false
	ast.Inspect(n, func(part ast.Node) bool {
		if name, ok := part.(*ast.Ident); ok && s.TypesInfo.Uses[name] != nil {
			at := s.TypesInfo.Uses[name].Pos()
			inside = inside || loop.Pos() <= at && at < loop.End() && (at < n.Pos() || n.End() <= at)
		}
		return true
	})
	return !inside
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
	loop := s.outermost(c)
	in := function(c)
	if loop == nil || in == nil || endsLoop(c) {
		return
	}
	name = s.free(name, in)
	s.excluded[name] = true // so that all candidates can be made
	s.propose(e, message, nil,
		edit(loop.Pos(), loop.Pos(), fmt.Sprintf("%s := %s\n%s", name, s.text(e), s.indent(loop.Pos()))),
		edit(e.Pos(), e.End(), name))
}
