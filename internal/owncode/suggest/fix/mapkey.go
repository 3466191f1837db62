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

// mapKey looks up m[string(b)] in place of m[key] for a key in a variable, because only the variable needs a string.
// Where the key is also used after a lookup that found nothing, it is made there. An assignment to m[string(b)] stores
// the string, so that only lookups are edited.
var mapKey = newAnalyzer("mapkey", "look up bytes in a map without making a string", func(s *search) {
	s.each((*ast.AssignStmt)(nil), func(c inspector.Cursor) {
		made := c.Node().(*ast.AssignStmt)
		if made.Tok != token.DEFINE || len(made.Lhs) != 1 || len(made.Rhs) != 1 {
			return
		}
		conversion, ok := ast.Unparen(made.Rhs[0]).(*ast.CallExpr)
		if !ok || !s.converts(conversion, isString, isBytes) {
			return
		}
		bytes := s.variable(withoutSlicing(conversion.Args[0]))
		if bytes == nil {
			return
		}
		key, _ := s.TypesInfo.Defs[made.Lhs[0].(*ast.Ident)].(*types.Var)
		next, ok := c.NextSibling()
		if !ok || key == nil || function(c) == nil {
			return
		}
		if strings.TrimSpace(s.between(made.End(), next.Node().Pos())) != "" {
			return // a comment
		}
		index := s.lookup(next.Node(), key, bytes)
		if index == nil {
			return
		}
		edits := []analysis.TextEdit{edit(made.Pos(), next.Node().Pos(), ""),
			edit(index.Index.Pos(), index.Index.End(), s.text(conversion))}
		if len(s.uses(function(c), key)) > 1 {
			end := s.missed(next, key)
			if !end.IsValid() {
				return
			}
			edits = append(edits, edit(end, end, "\n"+s.indent(made.Pos())+s.text(made)))
		}
		s.propose(made, fmt.Sprintf("a lookup of %s needs no string", s.text(conversion)), []token.Pos{index.Pos()},
			edits...)
	})
})

// lookup returns the m[key] of a statement that evaluates it first and does nothing else. It returns nil for any other
// statement, and for one that assigns to the variable with the bytes of the key.
func (s *search) lookup(stmt ast.Node, key, bytes *types.Var) *ast.IndexExpr {
	var value ast.Expr
	switch n := stmt.(type) {
	case *ast.IfStmt:
		if n.Init == nil {
			return nil
		}
		return s.lookup(n.Init, key, bytes)
	case *ast.AssignStmt:
		isOther := func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && s.TypesInfo.ObjectOf(name) != bytes
		}
		if len(n.Rhs) != 1 || !allOf(n.Lhs, isOther) {
			return nil
		}
		value = n.Rhs[0]
	case *ast.ReturnStmt:
		if len(n.Results) != 1 {
			return nil
		}
		value = n.Results[0]
	}
	index, ok := value.(*ast.IndexExpr)
	if !ok || !s.pure(index.X) || !s.isVariable(index.Index, key) {
		return nil
	}
	if _, ok := s.TypesInfo.TypeOf(index.X).Underlying().(*types.Map); !ok {
		return nil
	}
	return index
}

// missed returns the end of the if statement that contains a lookup or follows it, if the function continues after that
// statement only when its condition does not hold. Before the condition, the statement may neither use the key nor call
// anything.
func (s *search) missed(lookup inspector.Cursor, key *types.Var) token.Pos {
	found, ok := lookup.Node().(*ast.IfStmt)
	uses := 1
	if !ok {
		next, isThere := lookup.NextSibling()
		if !isThere {
			return token.NoPos
		}
		if found, ok = next.Node().(*ast.IfStmt); !ok || found.Init != nil {
			return token.NoPos
		}
		uses = 0
	}
	if found.Else != nil || len(found.Body.List) == 0 || len(s.uses(found, key)) != uses {
		return token.NoPos
	}
	switch last := found.Body.List[len(found.Body.List)-1].(type) {
	case *ast.ReturnStmt:
	case *ast.BranchStmt:
		if last.Tok == token.FALLTHROUGH {
			return token.NoPos
		}
	default:
		return token.NoPos
	}
	calls := false
	ast.Inspect(found.Cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls = true
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		}
		return true
	})
	if calls {
		return token.NoPos
	}
	return found.End()
}
