package verdict

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/exercise"
)

// policy lists what a solver's files hold that a solution may not: it could speak for the checker, or carry an answer from one
// call to the next. A file that does not parse is left to the build stage, whose errors are the compiler's own; the build
// cannot succeed then.
func policy(e *exercise.Exercise, edited map[string][]byte) []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(edited)) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, edited[name], parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || err != nil {
			if _, ok := err.(scanner.ErrorList); ok {
				continue
			}
			problems = append(problems, Problem{File: name, Message: fmt.Sprint(err)})
			continue
		}
		p := &policing{exercise: e, fset: fset, name: name}
		p.imports(file)
		p.directives(file)
		p.declarations(file)
		p.foreignVariables(file)
		problems = append(problems, p.problems...)
	}
	return problems
}

type policing struct {
	exercise *exercise.Exercise
	fset     *token.FileSet
	name     string
	problems []Problem
}

func (p *policing) report(pos token.Pos, format string, args ...any) {
	// Position without //line directives: these are reported too, and must not move the report.
	at := p.fset.PositionFor(pos, false)
	p.problems = append(p.problems, Problem{File: p.name, Line: at.Line, Col: at.Column, Message: fmt.Sprintf(format, args...)})
}

func (p *policing) imports(file *ast.File) {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			path = spec.Path.Value
		}
		switch {
		case !slices.Contains(p.exercise.Imports, path):
			p.report(spec.Pos(), "import %q is not allowed here: this exercise is solved with %s", path, list(p.exercise.Imports))
		case spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_"):
			p.report(spec.Pos(), "import %q by its name, not as %q", path, spec.Name.Name)
		}
	}
}

// directives finds comments that speak to the toolchain: //go:…, //line and /*line, //export, #cgo and build constraints.
func (p *policing) directives(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := c.Text
			// Any "//word:" or "/*line" form that the compiler might read; "//export" belongs to cgo; "// +build" is the old constraint.
			for _, prefix := range []string{"//go:", "//line ", "/*line ", "//export ", "//extern ", "//gccgo:", "// +build", "//+build"} {
				if strings.HasPrefix(text, prefix) {
					p.report(c.Pos(), "compiler directives are not allowed here: remove %q", firstLine(text))
					break
				}
			}
		}
	}
}

func (p *policing) declarations(file *ast.File) {
	if file.Name.Name != p.exercise.Package {
		p.report(file.Name.Pos(), "package %s: the file belongs to package %s", file.Name.Name, p.exercise.Package)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil && d.Name.Name == "init":
				p.report(d.Name.Pos(), "func init is not allowed here: nothing may run before the tests do")
			case d.Recv == nil && d.Name.Name == "TestMain":
				p.report(d.Name.Pos(), "func TestMain is not allowed here: it is the checker's")
			case d.Body == nil:
				p.report(d.Name.Pos(), "func %s has no body: it would be linked from elsewhere", d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				p.report(d.Pos(), "package-level variables are not allowed here: each call must do its own work, also when several run at once")
			}
		}
	}
}

// foreignVariables finds writes to, and addresses of, variables of other packages: io.EOF would do as a place to keep an answer
// from one call to the next.
func (p *policing) foreignVariables(file *ast.File) {
	check := func(e ast.Expr, what string) {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return
		}
		name, ok := sel.X.(*ast.Ident)
		if !ok || !p.isImport(file, name.Name) {
			return
		}
		p.report(e.Pos(), "%s %s.%s is not allowed here: it belongs to another package", what, name.Name, sel.Sel.Name)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				check(e, "assigning to")
			}
		case *ast.IncDecStmt:
			check(n.X, "assigning to")
		case *ast.RangeStmt:
			check(n.Key, "assigning to")
			check(n.Value, "assigning to")
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X, "the address of")
			}
		}
		return true
	})
}

// isImport reports whether the file imports a package by that name. A local variable of the same name counts too; the solver
// then has to rename it.
func (p *policing) isImport(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		if spec.Name != nil {
			return spec.Name.Name == name
		}
		path, err := strconv.Unquote(spec.Path.Value)
		return err == nil && path[strings.LastIndexByte(path, '/')+1:] == name
	})
}

func list(imports []string) string {
	if len(imports) == 0 {
		return "no imports"
	}
	quoted := make([]string, len(imports))
	for i, path := range imports {
		quoted[i] = strconv.Quote(path)
	}
	return strings.Join(quoted, ", ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
