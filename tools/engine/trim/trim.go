// Package trim leaves out of Go's compiler and linker what a page does not need.
//
// The compiler and the linker of the distribution contain the back ends of all architectures, and a page needs only
// one. Package trim finds the code to omit in the sources of the installed release, and makes an overlay with the
// trimmed files for the go command. It depends on a release only by the names of a few declarations. If one of them
// does not exist, it returns an error, and the tool has to be built untrimmed.
//
// The output of the tools for wasm does not change: trimming removes only cases and table entries of other
// architectures, and the linker's changed statements write the same bytes in less time.
package trim

import (
	"go/ast"
	"go/token"
	"strconv"
)

// GOARCH is the architecture that is kept.
const GOARCH = "wasm"

// keepCase removes, from the switch over architectures in a function, the cases of all but one.
func (s *source) keepCase(function string) error {
	body := s.body(function)
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
			return len(list) == 0 || isString(list[0], GOARCH)
		}
		found := 0
		for i := range choice.Body.List {
			if wanted(i) {
				found++
			}
		}
		if found == 2 {
			cutNodes(s, choice.Body.List, choice.Body.Rbrace, "", wanted)
			return nil
		}
	}
	return s.problem("func %s has no switch with a case %q and a default", function, GOARCH)
}

// body returns the body of a function.
func (s *source) body(function string) *ast.BlockStmt { return s.method("", function) }

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
