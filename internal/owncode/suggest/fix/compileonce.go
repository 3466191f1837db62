package fix

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ast/inspector"
)

// compileOnce compiles a constant regular expression once, in a variable of the package. A Regexp is safe for
// concurrent use, and only Longest changes it.
var compileOnce = newAnalyzer("compileonce", "compile a regular expression once", func(s *search) {
	s.each((*ast.AssignStmt)(nil), func(c inspector.Cursor) {
		assign := c.Node().(*ast.AssignStmt)
		if assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			return
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		if !ok || !s.calls(call, "regexp.MustCompile", "regexp.MustCompilePOSIX") ||
			s.TypesInfo.Types[call.Args[0]].Value == nil {
			return
		}
		var decl *ast.FuncDecl
		for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
			decl = f.Node().(*ast.FuncDecl)
		}
		name := assign.Lhs[0].(*ast.Ident)
		if decl == nil || decl.Name.Name == "init" || decl.Name.Name == "main" || !s.constantText(call.Args[0]) {
			return
		}
		if !s.onlyMatches(decl.Body, s.TypesInfo.Defs[name]) {
			return
		}
		global := s.free(name.Name+"Pattern", s.file(assign))
		at := decl.Pos()
		if decl.Doc != nil {
			at = decl.Doc.Pos()
		}
		s.propose(assign, "the expression is constant: compile it once, when the program starts", nil,
			edit(at, at, fmt.Sprintf("var %s = %s\n\n", global, s.text(call))),
			edit(call.Pos(), call.End(), global))
	})
})

// constantText reports whether an expression is a literal with a valid regular expression.
func (s *search) constantText(e ast.Expr) bool {
	literal, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok {
		return false
	}
	_, err := regexp.Compile(constant.StringVal(s.TypesInfo.Types[literal].Value))
	return err == nil
}

// onlyMatches reports whether a regular expression is used only to call its methods that do not change it.
func (s *search) onlyMatches(body ast.Node, v types.Object) bool {
	good := 0
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && s.isVariable(sel.X, v) && sel.Sel.Name != "Longest" &&
				sel.Sel.Name != "UnmarshalText" {
				good++
			}
		}
		return true
	})
	return v != nil && good == len(s.uses(body, v))
}
