package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// outline splits a function that makes a value, works on it and returns a pointer to it. The part that makes the
// value is then small enough to be inlined, so that a caller that keeps the value to itself has it on its own
// stack. Callers see the same function. A function that leads to one that looks at its callers is left alone, because
// there is one more call between them.
func outline(s *search) {
	looks := s.lookAtCallers()
	each(s, func(c inspector.Cursor, decl *ast.FuncDecl) {
		if decl.Body == nil || len(decl.Body.List) < 3 || decl.Type.TypeParams != nil || hasDirective(decl) ||
			looks[s.TypesInfo.Defs[decl.Name]] || decl.Type.Results == nil || len(decl.Type.Results.List) != 1 ||
			len(decl.Type.Results.List[0].Names) > 0 {
			return
		}
		made := decl.Body.List[0]
		v, value := s.defines(made)
		if v == nil || !s.makesPointer(value) ||
			!types.Identical(v.Type(), s.TypesInfo.TypeOf(decl.Type.Results.List[0].Type)) ||
			s.assigns(decl.Body, v) {
			return
		}
		s.outline(decl, made, v)
	})
}

// lookAtCallers returns the functions of the package that may look at the calls above them, because they name something
// of a package that does, or such a function. Calls of function values and of methods of interfaces are not followed.
func (s *search) lookAtCallers() map[types.Object]bool {
	packages := []string{"runtime", "runtime/debug", "log", "log/slog", "testing"}
	found := map[types.Object]bool{}
	for before := -1; before < len(found); {
		before = len(found)
		each(s, func(_ inspector.Cursor, decl *ast.FuncDecl) {
			ast.Inspect(decl, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				object := s.TypesInfo.Uses[name]
				if f, ok := object.(*types.Func); ok {
					object = f.Origin()
				}
				if object != nil && object.Pkg() != nil &&
					(found[object] || slices.Contains(packages, object.Pkg().Path())) {
					found[s.TypesInfo.Defs[decl.Name]] = true
				}
				return true
			})
		})
	}
	return found
}

// makesPointer reports whether an expression is "&T{…}" or "new(T)" for a struct.
func (s *search) makesPointer(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		literal, ok := e.X.(*ast.CompositeLit)
		return ok && e.Op == token.AND && literal.Type != nil
	case *ast.CallExpr:
		return s.builtin(e) == "new" && s.TypesInfo.Types[e.Args[0]].IsType()
	}
	return false
}

func (s *search) outline(decl *ast.FuncDecl, made ast.Stmt, v *types.Var) {
	edits := s.withoutResults(decl, v)
	if len(edits) == 0 {
		return
	}
	name := unexported(decl.Name.Name) + "Into"
	var params, args []string
	for _, f := range decl.Type.Params.List { // if one has no name, the call does not type-check
		for _, p := range f.Names {
			args = append(args, p.Name)
		}
		params = append(params, s.text(f))
		if _, variadic := f.Type.(*ast.Ellipsis); variadic {
			args[len(args)-1] += "..."
		}
	}
	receiver, on := "", ""
	if decl.Recv != nil {
		if len(decl.Recv.List[0].Names) != 1 {
			return
		}
		receiver, on = s.text(decl.Recv)+" ", decl.Recv.List[0].Names[0].Name+"."
		name = s.freeMethod(s.TypesInfo.TypeOf(decl.Recv.List[0].Type), name)
	} else {
		name = s.free(name, decl)
	}
	result := s.text(decl.Type.Results.List[0].Type)
	// The new function has the rest of the body, at its place.
	header := fmt.Sprintf("%s\n\t%s%s(%s)\n\treturn %s\n}\n\n"+
		"// %s does the work of %s on a value that its caller has made.\nfunc %s%s(%s) {",
		s.text(made), on, name, strings.Join(append([]string{v.Name()}, args...), ", "), v.Name(), name, decl.Name.Name,
		receiver, name, strings.Join(append([]string{v.Name() + " " + result}, params...), ", "))
	edits = append(edits, edit(made.Pos(), made.End(), header))
	s.propose(made, fmt.Sprintf(
		"split %s, which is too large to be inlined, so that a caller can have the %s on its stack",
		decl.Name.Name, strings.TrimPrefix(result, "*")), nil, edits...)
}

// withoutResults returns the edits that take the result v from a function's return statements, none if the function
// returns something else, or defers something.
func (s *search) withoutResults(decl *ast.FuncDecl, v *types.Var) (edits []analysis.TextEdit) {
	fine := true
	last := decl.Body.List[len(decl.Body.List)-1]
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its returns are its own
		case *ast.DeferStmt, *ast.LabeledStmt:
			fine = false // after a panic, another value may be returned
		case *ast.ReturnStmt:
			if len(n.Results) != 1 || !s.isVariable(n.Results[0], v) {
				fine = false
			} else if n == last {
				from := decl.Body.List[len(decl.Body.List)-2].End()
				if strings.TrimSpace(s.between(from, n.Pos())) != "" { // a comment
					from = n.Pos()
				}
				edits = append(edits, edit(from, n.End(), ""))
			} else {
				edits = append(edits, edit(n.Pos()+token.Pos(len("return")), n.End(), ""))
			}
		}
		return fine
	})
	if !fine {
		return nil
	}
	return edits
}
