package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// builder collects text in a strings.Builder in place of a bytes.Buffer, if only the Buffer's String is used, because
// that String copies. The bytes are the same. The string keeps the room that is left in the Builder alive with it. A
// Buffer begins with room for 64 bytes, a Builder with what the first write needs: one that is written to several times
// gets the same room.
var builder = newAnalyzer("builder", "collect text in a strings.Builder", func(s *search) {
	if s.olderThan("go1.10") {
		return
	}
	s.each((*ast.SelectorExpr)(nil), func(c inspector.Cursor) {
		name := c.Node().(*ast.SelectorExpr)
		if t, ok := s.TypesInfo.Uses[name.Sel].(*types.TypeName); !ok || t.Type().String() != "bytes.Buffer" {
			return
		}
		v := s.bufferMade(c)
		if v == nil || function(c) == nil || !s.onlyCollects(function(c), v) {
			return
		}
		as, imports := s.importing(s.file(name), "strings")
		if as == "" {
			return
		}
		places := []token.Pos{v.Pos()}
		for _, use := range s.uses(function(c), v) {
			places = append(places, use.Pos())
		}
		edits := append(imports, edit(name.Pos(), name.End(), as+".Builder"))
		if at := s.firstUse(c, v); at.IsValid() && s.writesOften(function(c), v) {
			edits = append(edits, edit(at, at, fmt.Sprintf("%s.Grow(%d) // as much as a Buffer begins with\n%s",
				v.Name(),
				firstRoom, s.indent(at))))
		}
		s.propose(name, "String of a Buffer copies the text: collect it in a Builder", places, edits...)
	})
})

// firstRoom is the room that a bytes.Buffer makes for its first small write.
const firstRoom = 64

// firstUse returns the position of the first statement that uses a variable, in the block of its declaration.
func (s *search) firstUse(c inspector.Cursor, v *types.Var) token.Pos {
	for outer := range c.Enclosing((*ast.DeclStmt)(nil), (*ast.AssignStmt)(nil)) {
		switch outer.Parent().Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		default:
			return token.NoPos // the initialization of another statement
		}
		for next, ok := outer.NextSibling(); ok; next, ok = next.NextSibling() {
			if len(s.uses(next.Node(), v)) > 0 {
				return next.Node().Pos()
			}
		}
		break
	}
	return token.NoPos
}

// writesOften reports whether a function adds text to a buffer in several places, or in a loop, and makes no room for
// it.
func (s *search) writesOften(body ast.Node, v *types.Var) bool {
	writes, grows := 0, false
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || s.TypesInfo.Uses[name] != v {
			return true
		}
		if method, ok := stack[len(stack)-1].(*ast.SelectorExpr); ok {
			switch method.Sel.Name {
			case "Grow":
				grows = true
			case "String", "Len":
				return true
			}
		}
		writes++
		for _, outer := range stack {
			switch outer.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if outer.Pos() > v.Pos() {
					writes++
				}
			}
		}
		return true
	})
	return writes > 1 && !grows
}

// bufferMade returns the local variable that is declared as an empty buffer, or a pointer to one, of a type. It is nil
// if the type is used for anything else.
func (s *search) bufferMade(c inspector.Cursor) *types.Var {
	declared := c.Parent()
	switch n := declared.Node().(type) {
	case *ast.ValueSpec:
		if n.Type != c.Node() || len(n.Names) != 1 || len(n.Values) > 0 {
			return nil
		}
		v, _ := s.TypesInfo.Defs[n.Names[0]].(*types.Var)
		return v
	case *ast.CompositeLit:
		if len(n.Elts) > 0 {
			return nil
		}
		if address, ok := declared.Parent().Node().(*ast.UnaryExpr); ok && address.Op == token.AND {
			declared = declared.Parent()
		}
	case *ast.CallExpr:
		if s.builtin(n) != "new" {
			return nil
		}
	default:
		return nil
	}
	assign, ok := declared.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
		return nil
	}
	v, _ := s.TypesInfo.Defs[assign.Lhs[0].(*ast.Ident)].(*types.Var)
	return v
}

// collecting are the methods of both types that add text, or tell how much there is.
var collecting = []string{"Write", "WriteString", "WriteByte", "WriteRune", "Grow", "Len"}

// onlyCollects reports whether a function uses a buffer only to add text to it, and for its String.
func (s *search) onlyCollects(body ast.Node, v *types.Var) bool {
	good, isRead := 0, false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && s.isVariable(method.X, v) {
			isString := method.Sel.Name == "String"
			if isRead = isRead || isString; isString || slices.Contains(collecting, method.Sel.Name) {
				good++
			}
		}
		// These call Write alone, or WriteString.
		if s.calls(call, "fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln", "io.WriteString") &&
			s.isVariable(withoutAddress(call.Args[0]), v) {
			good++
		}
		return true
	})
	return isRead && good == len(s.uses(body, v))
}
