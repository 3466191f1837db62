package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// document records the documentation of the types and the fields of a file.
func (g *generator) document(file *ast.File) {
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					g.docs[t.Name.Pos()] = cmp.Or(t.Doc.Text(), n.Doc.Text(), t.Comment.Text())
				}
			}
		case *ast.Field:
			for _, name := range n.Names {
				g.docs[name.Pos()] = cmp.Or(n.Doc.Text(), n.Comment.Text())
			}
		}
	}
}

// typeComment returns the comment of a type: its documentation, and its name in Go.
func (g *generator) typeComment(obj types.Object) string {
	return comment("", fmt.Sprintf("%s In Go: %s.%s.", g.docs[obj.Pos()], path.Base(obj.Pkg().Path()), obj.Name()))
}

// width is the maximum number of columns of a line in the generated files.
const width = 120

// comment returns a doc comment, its paragraphs as one text broken into lines, or "" if there is none.
func comment(indent, doc string) string {
	words := strings.Fields(strings.ReplaceAll(doc, "*/", "* /"))
	if len(words) == 0 {
		return ""
	}
	if line := indent + "/** " + strings.Join(words, " ") + " */"; utf8.RuneCountInString(line) <= width {
		return line + "\n"
	}
	var b strings.Builder
	line := indent + "/**\n" + indent + " *"
	column := len(indent + " *")
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if column+1+n > width {
			b.WriteString(line + "\n")
			line, column = indent+" *", len(indent+" *")
		}
		line, column = line+" "+word, column+1+n
	}
	return b.String() + line + "\n" + indent + " */\n"
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
