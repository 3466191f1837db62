package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

func edit(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}

// indent returns the blanks at the beginning of a line.
func (s *search) indent(at token.Pos) string {
	line := s.between(s.lineStart(at), at)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineStart returns the position of the beginning of a line.
func (s *search) lineStart(at token.Pos) token.Pos {
	f := s.Fset.File(at)
	return f.LineStart(f.PositionFor(at, false).Line)
}

// lineEnd returns the position after a node's line, so that a comment behind it is included.
func (s *search) lineEnd(at token.Pos) token.Pos {
	f := s.Fset.File(at)
	if line := f.PositionFor(at, false).Line; line < f.LineCount() {
		return f.LineStart(line + 1)
	}
	return token.Pos(f.Base() + f.Size())
}

// isListed reports whether a statement is one of a list, and not a part of another statement, such as its
// initialization.
func isListed(stmt inspector.Cursor) bool {
	switch stmt.Parent().Node().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// function returns the declaration of the function around a node, nil for none.
func function(c inspector.Cursor) *ast.FuncDecl {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return f.Node().(*ast.FuncDecl)
	}
	return nil
}

// alone reports whether a statement has its lines for itself, without a comment.
func (s *search) alone(stmt ast.Stmt) bool {
	lines := s.between(s.lineStart(stmt.Pos()), s.lineEnd(stmt.End()))
	return s.indent(stmt.Pos())+s.text(stmt)+"\n" == lines
}

// hasComment reports whether a comment is in a node.
func (s *search) hasComment(n ast.Node) bool {
	for _, group := range s.file(n).Comments {
		if n.Pos() < group.Pos() && group.Pos() < n.End() {
			return true
		}
	}
	return false
}

// defines returns the only variable that a statement declares, and its value: nil for "var v T". The variable is nil
// for any other statement.
func (s *search) defines(stmt ast.Node) (v *types.Var, value ast.Expr) {
	switch d := stmt.(type) {
	case *ast.AssignStmt:
		if d.Tok == token.DEFINE && len(d.Lhs) == 1 && len(d.Rhs) == 1 {
			v, _ = s.TypesInfo.Defs[d.Lhs[0].(*ast.Ident)].(*types.Var)
			return v, ast.Unparen(d.Rhs[0])
		}
	case *ast.DeclStmt:
		g := d.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || len(g.Specs) != 1 {
			return nil, nil
		}
		if spec := g.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && len(spec.Values) == 0 {
			v, _ = s.TypesInfo.Defs[spec.Names[0]].(*types.Var)
		}
	}
	return v, nil
}

// assigns reports whether a node assigns to a variable that is declared outside of it, or takes its address.
func (s *search) assigns(in ast.Node, v types.Object) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		var targets []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			targets = n.Lhs
		case *ast.RangeStmt:
			targets = []ast.Expr{n.Key, n.Value}
		case *ast.IncDecStmt:
			targets = []ast.Expr{n.X}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				targets = []ast.Expr{n.X}
			}
		}
		for _, t := range targets {
			if name, ok := ast.Unparen(t).(*ast.Ident); ok && s.TypesInfo.Uses[name] == v {
				found = true
			}
		}
		return !found
	})
	return found
}

func (s *search) isVariable(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && s.TypesInfo.ObjectOf(name) == v
}

// isAddress reports whether the innermost of the nodes around an expression takes its address.
func isAddress(stack []ast.Node) bool {
	for _, outer := range slices.Backward(stack) {
		if _, isParen := outer.(*ast.ParenExpr); !isParen {
			u, ok := outer.(*ast.UnaryExpr)
			return ok && u.Op == token.AND
		}
	}
	return false
}

// onlyUse returns the call whose result the statement before sets a variable to, and both statements, if the node c is
// the variable's only use and the first that its statement evaluates. The call can then be moved there. It is nil
// otherwise.
func (s *search) onlyUse(c inspector.Cursor, v *types.Var) (made *ast.CallExpr, set, use ast.Stmt) {
	for stmt := range c.Enclosing((*ast.AssignStmt)(nil), (*ast.ReturnStmt)(nil)) {
		if before, ok := stmt.PrevSibling(); ok && function(c) != nil && len(s.uses(function(c), v)) == 1 {
			defined, value := s.defines(before.Node())
			call, isCall := value.(*ast.CallExpr)
			if defined == v && isCall && s.evaluatesFirst(stmt.Node(), c.Node()) {
				return call, before.Node().(ast.Stmt), stmt.Node().(ast.Stmt)
			}
		}
		break
	}
	return nil, nil, nil
}

// evaluatesFirst reports whether a statement evaluates nothing with an effect before an expression.
func (s *search) evaluatesFirst(stmt, e ast.Node) bool {
	switch n := stmt.(type) {
	case *ast.AssignStmt:
		return allOf(n.Lhs, s.pure) && ast.Unparen(n.Rhs[0]) == e
	case *ast.ReturnStmt:
		return len(n.Results) > 0 && ast.Unparen(n.Results[0]) == e
	}
	return false
}

// normal returns the statements of a method without blanks, each with a semicolon, with H for the receiver, A, B and C
// for other variables in the order of their use, and nil for literals without elements.
func (s *search) normal(decl *ast.FuncDecl) string {
	names := map[types.Object]string{s.TypesInfo.Defs[decl.Recv.List[0].Names[0]]: "H"}
	var b strings.Builder
	for _, stmt := range decl.Body.List {
		at := stmt.Pos()
		ast.Inspect(stmt, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				object, isVar := s.TypesInfo.ObjectOf(n).(*types.Var)
				if !isVar || object.IsField() {
					return true
				}
				if names[object] == "" {
					names[object] = string(rune('A' + len(names) - 1))
				}
				b.WriteString(s.between(at, n.Pos()) + names[object])
				at = n.End()
			case *ast.CompositeLit:
				if len(n.Elts) == 0 {
					b.WriteString(s.between(at, n.Pos()) + "nil")
					at = n.End()
				}
				return false
			}
			return true
		})
		b.WriteString(s.between(at, stmt.End()) + ";")
	}
	return strings.Join(strings.Fields(b.String()), "")
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// importing returns the name by which a file refers to a package, and the edits that import it if it is not imported.
// If something else has that name, the file with the edits does not type-check.
func (s *search) importing(file *ast.File, path_ string) (name string, edits []analysis.TextEdit) {
	for _, spec := range file.Imports {
		if value, err := strconv.Unquote(spec.Path.Value); err != nil || value != path_ {
			continue
		}
		if p, ok := s.TypesInfo.Implicits[spec].(*types.PkgName); ok {
			return p.Name(), nil
		}
		if spec.Name != nil && spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name, nil
		}
	}
	if (path_ == "slices" || path_ == "cmp") && s.olderThan("go1.21") {
		return "", nil // the module promises to build with a release that does not have it
	}
	name = path.Base(path_)
	at := s.lineEnd(file.Name.End()) // Apply puts it with the other imports
	return name, []analysis.TextEdit{edit(at, at, "\nimport "+strconv.Quote(path_)+"\n")}
}

// olderThan reports whether the package is for Go releases older than a version.
func (s *search) olderThan(release string) bool {
	v := s.Pkg.GoVersion()
	return v != "" && version.Compare(v, release) < 0
}

// typeName returns how a type is written in a file, with the imports that this needs. A type that has no name there
// does not type-check.
func (s *search) typeName(file *ast.File, t types.Type) (name string, imports []analysis.TextEdit) {
	name = types.TypeString(t, func(p *types.Package) string {
		if p == s.Pkg {
			return ""
		}
		as, edits := s.importing(file, p.Path())
		imports = append(imports, edits...)
		return as
	})
	return name, imports
}
