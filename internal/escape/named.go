package escape

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"regexp"
	"strings"
)

// madeName matches a name of a variable that the compiler made in an expression: a temporary one, or the result of a
// function that is inlined.
var madeName = regexp.MustCompile(`\.autotmp_\d+\b|~r\d+\b`)

// NameValues sets Source in the diagnostics that name a variable which the compiler made, to the expression in the
// files of the package, by name, of which it has the value. The steps of their flows get that expression too.
func NameValues(diagnostics []Diagnostic, files map[string][]byte) {
	index := map[string]map[place]string{}
	for i := range diagnostics {
		d := &diagnostics[i]
		if d.Kind != Escape && d.Kind != Moved && d.Kind != Stays || !needsSource(Subject(*d)) {
			continue
		}
		if index[d.File] == nil {
			index[d.File] = expressions(files[d.File])
		}
		before := words(*d)
		if d.Source = index[d.File][place{d.Line, d.Col}]; d.Source == "" {
			continue
		}
		for j := range d.Flow {
			s := &d.Flow[j]
			for _, made := range []string{temporary, before} {
				if rest, ok := strings.CutPrefix(s.Message, made+" is "); ok && s.Line == d.Line {
					s.Message = words(*d) + " is " + rest
				}
			}
			if rest, ok := strings.CutPrefix(s.Message, result+" is "); ok && s.Line == d.Line {
				s.Message = words(*d) + " is " + rest
			}
		}
	}
}

// needsSource reports whether an expression is the name of a variable that the compiler made, or has the name of a
// temporary one.
func needsSource(expr string) bool {
	return strings.Contains(expr, ".autotmp_") || madeName.FindString(expr) == expr
}

// words describes what d has storage for.
func words(d Diagnostic) string {
	switch {
	case d.Kind != Moved:
	case d.Source != "":
		return named(Subject(d), d.Source, Other)
	default:
		return "the " + variable(Subject(d))
	}
	_, words := storageFor(d)
	return words
}

// A place is a position in a file.
type place struct{ line, col int }

// expressions returns the text of the calls and the sums in a Go file by the position that the compiler gives them or
// their results: the position of the parenthesis, of the last operator, or of the statement.
func expressions(text []byte) map[place]string {
	all := map[place]string{}
	fset := token.NewFileSet()
	file, _ := goparser.ParseFile(fset, "", text, goparser.SkipObjectResolution)
	if file == nil {
		return all
	}
	add := func(e ast.Expr, pos token.Pos) {
		from, to := fset.PositionFor(e.Pos(), false).Offset, fset.PositionFor(e.End(), false).Offset
		if to <= len(text) {
			at := fset.Position(pos)
			all[place{at.Line, at.Column}] = strings.Join(strings.Fields(string(text[from:to])), " ")
		}
	}
	// A call with several results is the only value of a statement, and they get its position.
	only := func(values []ast.Expr, pos token.Pos) {
		if len(values) == 1 {
			if call, ok := ast.Unparen(values[0]).(*ast.CallExpr); ok {
				add(call, pos)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			only(n.Results, n.Return)
		case *ast.AssignStmt:
			only(n.Rhs, n.Pos())
			only(n.Rhs, n.TokPos)
		case *ast.CallExpr:
			add(n, n.Lparen)
		case *ast.BinaryExpr:
			add(n, n.OpPos)
		}
		return true
	})
	return all
}

// named returns words for the value of a source expression that has the value of a variable which the compiler made.
func named(subject, source string, kind Storage) string {
	switch {
	case kind == Concatenation:
		return "the new string " + shown(source)
	case strings.HasPrefix(source, "new("):
		return "the value of " + shown(source)
	case madeName.FindString(subject) == subject && strings.HasSuffix(source, ")"):
		if strings.HasPrefix(subject, ".autotmp_") { // of several results, the compiler does not say which
			return "a result of " + shown(source)
		}
		return "the result of " + shown(source)
	}
	return "the value of " + shown(source)
}
