package fix

import (
	"go/ast"
	"go/types"
)

// callersOf returns the functions of the package that contain a node satisfying is, and the functions that refer to
// such a function, directly or not. A function without a body is tested itself. Calls of function values and of methods
// of interfaces are not followed.
func (s *search) callersOf(is func(ast.Node) bool) map[types.Object]bool {
	found := map[types.Object]bool{}
	users := map[types.Object][]types.Object{}
	var list []types.Object
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl := c.Node().(*ast.FuncDecl)
		f := s.TypesInfo.Defs[decl.Name]
		if f == nil {
			continue
		}
		if decl.Body == nil {
			if is(decl) {
				found[f] = true
				list = append(list, f)
			}
			continue
		}
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			if n != nil && !found[f] && is(n) {
				found[f] = true
				list = append(list, f)
			}
			if name, ok := n.(*ast.Ident); ok {
				if used, ok := s.TypesInfo.Uses[name].(*types.Func); ok && used.Pkg() == s.Pkg {
					users[used.Origin()] = append(users[used.Origin()], f)
				}
			}
			return true
		})
	}
	for len(list) > 0 {
		f := list[len(list)-1]
		list = list[:len(list)-1]
		for _, user := range users[f] {
			if !found[user] {
				found[user] = true
				list = append(list, user)
			}
		}
	}
	return found
}

// mayPanic reports whether a call in a node may panic on purpose: a call of panic, of a function of the package that
// reaches such a call, or of a function whose body is not known. Functions of the standard library are expected to
// return.
func (s *search) mayPanic(in ast.Node) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found || s.TypesInfo.Types[call.Fun].IsType() {
			return !found
		}
		if name := s.builtin(call); name != "" {
			found = name == "panic"
			return !found
		}
		f := s.callee(call)
		switch {
		case f == nil || f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()):
			found = true
		case f.Pkg() == s.Pkg:
			if s.panicking == nil {
				s.panicking = s.callersOf(s.isPanic)
			}
			found = s.panicking[f.Origin()]
		case f.Pkg() != nil:
			found = !s.isStandard(f.Pkg().Path())
		}
		return !found
	})
	return found
}

// isPanic reports whether a node is a call of panic, or a function without a body, which may do anything.
func (s *search) isPanic(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return s.builtin(n) == "panic"
	case *ast.FuncDecl:
		return n.Body == nil
	}
	return false
}
