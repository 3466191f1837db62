package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// builder collects text in a strings.Builder in place of a bytes.Buffer of which only the String is used, because String
// of a Buffer copies. The bytes are the same. The string keeps the room that is left in the Builder alive with it.
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
		s.propose(name, "String of a Buffer copies the text: collect it in a Builder", places,
			append(imports, edit(name.Pos(), name.End(), as+".Builder"))...)
	})
})

// bufferMade returns the local variable that is declared as an empty buffer, or a pointer to one, of a type. It is nil if
// the type is used for anything else.
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
