package fix

import (
	"go/ast"
	"go/types"
)

// callersOf returns the functions of the package that contain a node satisfying is, and the functions that refer to
// such a function, directly or not. Calls of function values and of methods of interfaces are not followed.
func (s *search) callersOf(is func(ast.Node) bool) map[types.Object]bool {
	found := map[types.Object]bool{}
	users := map[types.Object][]types.Object{}
	var list []types.Object
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl := c.Node().(*ast.FuncDecl)
		f := s.TypesInfo.Defs[decl.Name]
		if f == nil || decl.Body == nil {
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
