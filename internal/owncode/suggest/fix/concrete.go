package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// concrete gives a parameter of an unexported function the one type that all its callers pass, in place of an
// interface. A call through the interface may keep what it is given, as far as the compiler knows; a call of the method
// itself may not.
func concrete(s *search) {
	calls, names := s.references()
	each(s, func(_ inspector.Cursor, decl *ast.FuncDecl) {
		f := s.TypesInfo.Defs[decl.Name]
		if decl.Recv != nil || decl.Body == nil || decl.Type.TypeParams != nil || ast.IsExported(decl.Name.Name) ||
			hasDirective(decl) || f == nil || names[f] != len(calls[f]) || len(calls[f]) == 0 ||
			s.excluded[decl.Name.Name] || f.Type().(*types.Signature).Variadic() {
			return
		}
		at := 0
		for _, field := range decl.Type.Params.List {
			if len(field.Names) == 1 {
				s.concreteParameter(decl, field, at, calls[f])
			}
			at += max(len(field.Names), 1)
		}
	})
}

// references returns the calls of each function of the package, and how often a function is named in all.
func (s *search) references() (calls map[types.Object][]*ast.CallExpr, names map[types.Object]int) {
	calls, names = map[types.Object][]*ast.CallExpr{}, map[types.Object]int{}
	each(s, func(_ inspector.Cursor, call *ast.CallExpr) {
		if f := s.callee(call); f != nil {
			calls[f] = append(calls[f], call)
		}
	})
	for _, object := range s.TypesInfo.Uses {
		names[object]++
	}
	return calls, names
}

// hasDirective reports whether a function has a directive for the compiler or the linker.
func hasDirective(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:")
	})
}

// concreteParameter proposes another type for the parameter with an index.
func (s *search) concreteParameter(decl *ast.FuncDecl, field *ast.Field, at int, calls []*ast.CallExpr) {
	v, ok := s.TypesInfo.Defs[field.Names[0]].(*types.Var)
	if !ok || v.Name() == "_" {
		return
	}
	iface, ok := v.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return
	}
	var passed types.Type
	var places []token.Pos
	for _, call := range calls {
		if len(call.Args) <= at || call.Ellipsis.IsValid() {
			return // f(g()) with several results
		}
		t := s.TypesInfo.TypeOf(call.Args[at])
		if t == nil || types.IsInterface(t) || !types.Implements(t, iface) ||
			passed != nil && !types.Identical(t, passed) {
			return
		}
		passed = t
		places = append(places, call.Pos(), call.Args[at].Pos())
	}
	if !s.onlyCalled(decl.Body, v) {
		return
	}
	name, imports := s.typeName(s.file(decl), passed)
	s.propose(field, fmt.Sprintf(
		"all calls of %s pass a %s for %s: take that type, so that the compiler knows the methods",
		decl.Name.Name, name, v.Name()), append(places, v.Pos()),
		append(imports, edit(field.Type.Pos(), field.Type.End(), name))...)
}

// onlyCalled reports whether a variable is used only to call its methods, which are then all that matters.
func (s *search) onlyCalled(body ast.Node, v *types.Var) bool {
	good := 0
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.isVariable(sel.X, v) {
				good++
			}
		}
		return true
	})
	return good == len(s.uses(body, v))
}
