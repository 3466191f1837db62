package budget

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Parse returns the directives of a Go file in their order, and the comments that are none but should be. File is what
// both call the file; that it ends in _test.go decides whether it may hold benchmarks. Of a file that does not parse no
// directive is read: if it has any, that is a Mistake.
func Parse(file string, src []byte) ([]Directive, []Mistake) {
	if !bytes.Contains(bytes.ToLower(src), []byte("checkalloc")) {
		return nil, nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, unparsed(file, src, err)
	}
	s := &scene{file: file, src: src, fset: fset, docs: map[*ast.CommentGroup]*ast.FuncDecl{}, values: map[int]bool{}}
	s.survey(tree)
	for _, group := range tree.Comments {
		for _, c := range group.List {
			s.comment(group, c)
		}
	}
	return s.directives, s.mistakes
}

func unparsed(file string, src []byte, err error) []Mistake {
	if !bytes.Contains(src, []byte(prefix)) {
		return nil
	}
	m := Mistake{File: file, Line: 1, Message: "its directives cannot be read: " + err.Error()}
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		m.Message = "its directives cannot be read: " + list[0].Msg
		if list[0].Pos.Filename == file { // no //line comment speaks of another
			m.Line, m.Col = max(1, list[0].Pos.Line), list[0].Pos.Column
		}
	}
	return []Mistake{m}
}

// comment files a comment under directives or mistakes, or leaves it.
func (s *scene) comment(group *ast.CommentGroup, c *ast.Comment) {
	at := s.position(c.Pos())
	before := s.src[:at.Offset]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	alone := len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\ufeff")))) == 0
	mistake := func(text, format string, args ...any) {
		s.mistakes = append(s.mistakes, Mistake{File: s.file, Line: at.Line, Col: at.Column, Text: text,
			Message: fmt.Sprintf(format, args...)})
	}
	rest, ok := strings.CutPrefix(c.Text, prefix)
	if !ok {
		if right := almost(c.Text, alone); right != "" {
			mistake(shorten(c.Text), "this is no directive: write %s%s", prefix, right)
		}
		return
	}
	t, problem := read(rest)
	if problem != "" {
		mistake(shorten(c.Text), "%s", problem)
		return
	}
	d := Directive{File: s.file, Line: at.Line, Col: at.Column, Text: prefix + t.text, Bench: t.bench, sub: t.sub,
		Allocs: t.allocs, Bytes: t.bytes}
	if t.noescape {
		problem = s.placeLine(&d, group, alone)
	} else {
		problem = s.placeBenchmark(&d, group)
	}
	if problem != "" {
		mistake(d.Text, "%s", problem)
		return
	}
	s.directives = append(s.directives, d)
}

// almost returns what should stand behind the prefix, where a comment is not a directive by its form alone: a space
// behind its slashes, a capital letter, a missing colon, another comment before it. Prose that begins with the word is
// none.
func almost(text string, alone bool) string {
	inner := strings.TrimPrefix(text, "//")
	if block, ok := strings.CutPrefix(text, "/*"); ok {
		inner = strings.TrimSuffix(block, "*/")
	} else if i := strings.Index(inner, prefix); i >= 0 && !alone {
		inner = inner[i+len("//"):]
	}
	inner = strings.TrimSpace(inner)
	const name = "checkalloc"
	if len(inner) <= len(name) || !strings.EqualFold(inner[:len(name)], name) {
		return ""
	}
	rest := inner[len(name):]
	trimmed := strings.TrimLeft(rest, ": \t")
	t, problem := read(trimmed)
	if problem != "" || trimmed == rest {
		return ""
	}
	return t.text
}
