package present

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"

	"onthestack/internal/why"
)

// A declaration is a top-level declaration of a file.
type declaration struct {
	name        string
	first, last int // its lines with its doc comment, counted from 1
	begin       int // line on which it begins, below its doc comment
}

// declarations returns the top-level declarations of a file in source order. No line belongs to two of them. If the
// file has syntax errors, it returns the declarations that can be parsed.
func declarations(text []byte) []declaration {
	if len(text) == 0 {
		return nil
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	// Count physical lines, as the compiler's positions do unless a //line directive moves them.
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	var found []declaration
	for _, d := range file.Decls {
		var name string
		first := d.Pos()
		var comment *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			// Readers know a generic type without its parameters: "(*Set).Len".
			name, comment = strings.ReplaceAll(why.FuncName(d), "[...]", ""), d.Doc
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || len(d.Specs) == 0 {
				continue
			}
			name, comment = d.Tok.String(), d.Doc
			switch spec := d.Specs[0].(type) {
			case *ast.ValueSpec:
				name += " " + spec.Names[0].Name
			case *ast.TypeSpec:
				name += " " + spec.Name.Name
			}
		default:
			continue
		}
		if comment != nil {
			first = comment.Pos()
		}
		l := declaration{name, line(first), line(d.End()), line(d.Pos())}
		if len(found) > 0 {
			l.first = max(l.first, found[len(found)-1].last+1)
		}
		if l.first >= 1 && l.last >= l.first {
			found = append(found, l)
		}
	}
	return found
}

// enclosing returns the declaration that contains a line.
func enclosing(all []declaration, line int) (declaration, bool) {
	i := sort.Search(len(all), func(i int) bool { return all[i].last >= line })
	if i < len(all) && all[i].first <= line {
		return all[i], true
	}
	return declaration{}, false
}
