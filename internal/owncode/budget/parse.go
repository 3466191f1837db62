package budget

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Parse returns the directives of a Go file in source order, and a Malformed finding for each comment that is, or is
// clearly meant to be, a directive, and that cannot be parsed or stands where it has no effect. File is the file's name
// in both. Only a file whose name ends in _test.go may have benchmarks. If a file does not parse, its directives are
// not read, and having any is a finding.
func Parse(file string, src []byte) (directives []Directive, mistakes []Finding) {
	if !bytes.Contains(bytes.ToLower(src), []byte("checkalloc")) {
		return nil, nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, unparsed(file, src, err)
	}
	s := &fileContext{file: file, src: src, fset: fset, docs: map[*ast.CommentGroup]*ast.FuncDecl{},
		values: map[int]bool{}}
	s.collect(tree)
	for _, group := range tree.Comments {
		for _, c := range group.List {
			s.comment(group, c)
		}
	}
	return s.directives, s.mistakes
}

func unparsed(file string, src []byte, err error) []Finding {
	if !bytes.Contains(src, []byte(prefix)) {
		return nil
	}
	d, message := Directive{File: file, Line: 1}, err.Error()
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		message = list[0].Msg
		if list[0].Pos.Filename == file { // no //line directive names another file
			d.Line, d.Col = max(1, list[0].Pos.Line), list[0].Pos.Column
		}
	}
	return []Finding{d.finding(Malformed, "its directives cannot be read: %s", message)}
}

// comment adds a comment to the directives or the mistakes, or ignores it.
func (s *fileContext) comment(group *ast.CommentGroup, c *ast.Comment) {
	at := s.position(c.Pos())
	before := s.src[:at.Offset]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	alone := len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\ufeff")))) == 0
	var d Directive
	var noescape bool
	var problem string
	if rest, ok := strings.CutPrefix(c.Text, prefix); ok {
		d, noescape, problem = read(rest)
	} else if right := intendedDirective(c.Text, alone); right != "" {
		problem = "this is not a directive: write " + right
	} else {
		return
	}
	if problem != "" {
		d = Directive{Text: shorten(c.Text)}
	}
	d.File, d.Line, d.Col = s.file, at.Line, at.Column
	switch {
	case problem != "":
	case noescape:
		problem = s.placeLine(&d, group, alone)
	default:
		problem = s.placeBenchmark(&d, group)
	}
	if problem != "" {
		s.mistakes = append(s.mistakes, d.finding(Malformed, "%s", problem))
		return
	}
	s.directives = append(s.directives, d)
}

// intendedDirective returns the directive that a comment was probably meant to be, if only its form is wrong: a space
// after the slashes, a capital letter, a missing colon, another comment before it. It ignores prose that begins with
// the word.
func intendedDirective(text string, alone bool) string {
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
	d, _, problem := read(trimmed)
	if problem != "" || trimmed == rest {
		return ""
	}
	return d.Text
}
