package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"onthestack/internal/harness"
)

// A source is a Go file from which parts are cut. The rest keeps its text.
type source struct {
	name string
	text []byte
	fset *token.FileSet
	*ast.File
	cuts []harness.Edit
}

func readSource(src fs.FS, name string) (*source, error) {
	text, err := fs.ReadFile(src, name)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, text: text, fset: token.NewFileSet()}
	s.File, err = parser.ParseFile(s.fset, name, text, parser.SkipObjectResolution)
	return s, err
}

func (s *source) offset(pos token.Pos) int { return s.fset.File(s.FileStart).Offset(pos) }

// problem returns an error on why a file of the distribution cannot be trimmed.
func (s *source) problem(format string, args ...any) error {
	return fmt.Errorf("%s: %s", s.name, fmt.Sprintf(format, args...))
}

func (s *source) cut(from, to token.Pos, instead string) {
	s.cuts = append(s.cuts, harness.Edit{From: s.offset(from), To: s.offset(to), Text: instead})
}

// cutNodes cuts the nodes of a list for which keep returns false, each up to the next one, the last up to end.
func cutNodes[T ast.Node](s *source, nodes []T, end token.Pos, keep func(i int) bool) {
	for i, node := range nodes {
		if keep(i) {
			continue
		}
		to := end
		if i+1 < len(nodes) {
			to = nodes[i+1].Pos()
		}
		s.cut(node.Pos(), to, "")
	}
}

// names returns the identifiers in the code that is kept.
func (s *source) names() map[string]bool {
	names := map[string]bool{}
	slices.SortFunc(s.cuts, func(a, b harness.Edit) int { return cmp.Compare(a.From, b.From) })
	next := 0
	ast.Inspect(s.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		at := s.offset(id.Pos())
		for next < len(s.cuts) && s.cuts[next].To <= at {
			next++
		}
		if next == len(s.cuts) || s.cuts[next].From > at {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// result returns the file's text without the cuts, and without imports that only they used.
func (s *source) result() []byte {
	used := s.names()
	for _, decl := range s.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT && d.Lparen.IsValid() {
			cutNodes(s, d.Specs, d.Rparen, func(i int) bool {
				spec := d.Specs[i].(*ast.ImportSpec)
				name, _ := strconv.Unquote(spec.Path.Value)
				return spec.Name != nil || used[path.Base(name)]
			})
		}
	}
	return harness.Apply(s.text, s.cuts)
}

// declared returns the first result of f for the file's top-level declarations that is not nil, or nil.
func declared[T any](s *source, f func(ast.Decl) *T) *T {
	for _, decl := range s.Decls {
		if found := f(decl); found != nil {
			return found
		}
	}
	return nil
}
