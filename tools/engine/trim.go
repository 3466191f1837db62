package main

import (
	"go/ast"
	"go/token"
	"strconv"
)

// goarch is the architecture that is kept.
const goarch = "wasm"

// keepCase removes, from the switch over architectures in a function, the cases of all but one.
func (s *source) keepCase(function string) error {
	body := s.method("", function)
	if body == nil {
		return s.problem("there is no function %s", function)
	}
	for _, stmt := range body.List {
		choice, ok := stmt.(*ast.SwitchStmt)
		if !ok {
			continue
		}
		wanted := func(i int) bool {
			list := choice.Body.List[i].(*ast.CaseClause).List
			return len(list) == 0 || isString(list[0], goarch)
		}
		found := 0
		for i := range choice.Body.List {
			if wanted(i) {
				found++
			}
		}
		if found == 2 {
			cutNodes(s, choice.Body.List, choice.Body.Rbrace, wanted)
			return nil
		}
	}
	return s.problem("func %s has no switch with a case %q and a default", function, goarch)
}

// method returns the body of a method of a pointer to a type, and of a function if the type's name is empty.
func (s *source) method(receiver, name string) *ast.BlockStmt {
	return declared(s, func(decl ast.Decl) *ast.BlockStmt {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != name || receiverOf(f) != receiver {
			return nil
		}
		return f.Body
	})
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		if name, ok := star.X.(*ast.Ident); ok {
			return name.Name
		}
	}
	return "?"
}

func isString(e ast.Expr, want string) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && lit.Value == strconv.Quote(want)
}
