package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// docs returns the documentation of a type and of its fields.
func (g *generator) docs(obj types.Object) map[types.Object]string {
	docs := map[types.Object]string{}
	p := g.packages[obj.Pkg().Path()]
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok || p.TypesInfo.Defs[t.Name] != obj {
					continue
				}
				docs[obj] = cmp.Or(t.Doc.Text(), gen.Doc.Text(), t.Comment.Text())
				s, ok := t.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						docs[p.TypesInfo.Defs[name]] = cmp.Or(f.Doc.Text(), f.Comment.Text())
					}
				}
			}
		}
	}
	return docs
}

// withOrigin adds a type's name in Go to its documentation.
func withOrigin(doc string, obj types.Object) string {
	origin := fmt.Sprintf("In Go: %s.%s.", path.Base(obj.Pkg().Path()), obj.Name())
	return strings.TrimSpace(strings.TrimSpace(doc) + " " + origin)
}

// width is the maximum number of columns of a line in the generated files.
const width = 120

// comment returns a doc comment, its paragraphs as one text broken into lines, or "" if there is none.
func comment(indent, doc string) string {
	words := strings.Fields(strings.ReplaceAll(doc, "*/", "* /"))
	if len(words) == 0 {
		return ""
	}
	text := strings.Join(words, " ")
	if line := indent + "/** " + text + " */"; utf8.RuneCountInString(line) <= width {
		return line + "\n"
	}
	var b strings.Builder
	b.WriteString(indent + "/**")
	column := width
	for _, word := range words {
		if n := utf8.RuneCountInString(word); column+1+n > width {
			b.WriteString("\n" + indent + " * " + word)
			column = len(indent) + 3 + n
		} else {
			b.WriteString(" " + word)
			column += 1 + n
		}
	}
	return b.String() + "\n" + indent + " */\n"
}

// sentence makes a sentence of the documentation of a field, which in Go often has neither a capital letter nor a full
// stop.
func sentence(doc string) string {
	doc = strings.TrimSpace(doc)
	if last, _ := utf8.DecodeLastRuneInString(doc); unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' {
		doc += "."
	}
	return capital(doc)
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
