package present

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"onthestack/internal/why"
)

// declarations returns the top-level declarations of a file in source order. No line belongs to two of them. If the
// file has syntax errors, it returns the declarations that can be parsed.
func declarations(file string, text []byte) []*Function {
	if len(text) == 0 {
		return nil
	}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil {
		return nil
	}
	// Count physical lines, as the compiler's positions do unless a //line directive moves them.
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	var found []*Function
	last := 0
	for _, d := range parsed.Decls {
		f := &Function{File: file, First: line(d.Pos()), Begin: line(d.Pos()), Last: line(d.End())}
		var comment *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			// Readers know a generic type without its parameters: "(*Set).Len".
			f.Name, comment = strings.ReplaceAll(why.FuncName(d), "[...]", ""), d.Doc
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || len(d.Specs) == 0 {
				continue
			}
			f.Name, comment = d.Tok.String(), d.Doc
			switch spec := d.Specs[0].(type) {
			case *ast.ValueSpec:
				f.Name += " " + spec.Names[0].Name
			case *ast.TypeSpec:
				f.Name += " " + spec.Name.Name
			}
		default:
			continue
		}
		if comment != nil {
			f.First = line(comment.Pos())
		}
		if f.First = max(f.First, last+1); f.Last >= f.First {
			found, last = append(found, f), f.Last
		}
	}
	return found
}
