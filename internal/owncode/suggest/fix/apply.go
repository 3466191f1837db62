package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// An Edit replaces a part of a file, from one byte to before another.
type Edit struct {
	File       string
	Start, End int
	Text       string
}

// Conflict reports whether edits of two candidates overlap. Equal edits, such as the same import, do not.
func Conflict(a, b []Edit) bool {
	for _, x := range a {
		for _, y := range b {
			if x.File == y.File && x != y && x.Start < max(y.End, y.Start+1) && y.Start < max(x.End, x.Start+1) &&
				!(x.Start == x.End && y.Start == y.End) {
				return true
			}
		}
	}
	return false
}

// Apply makes the edits and returns the text of the files that they change. Imports of the standard library that are no
// longer used are removed, and files that were formatted are formatted.
func Apply(texts map[string][]byte, edits []Edit) (map[string][]byte, error) {
	byFile := map[string][]Edit{}
	for _, e := range edits {
		if !slices.Contains(byFile[e.File], e) {
			byFile[e.File] = append(byFile[e.File], e)
		}
	}
	changed := map[string][]byte{}
	for name, list := range byFile {
		old := texts[name]
		slices.SortStableFunc(list, func(a, b Edit) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
		var b bytes.Buffer
		at := 0
		for _, e := range list {
			if e.Start < at || e.End < e.Start || e.End > len(old) {
				return nil, errConflict
			}
			b.Write(old[at:e.Start])
			if bytes.Contains(old, []byte("\r\n")) {
				e.Text = strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", "\r\n")
			}
			b.WriteString(e.Text)
			at = e.End
		}
		b.Write(old[at:])
		text, err := withoutUnused(old, b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if formatted, err := format.Source(old); err == nil && bytes.Equal(formatted, old) {
			if text, err = format.Source(text); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		changed[name] = text
	}
	return changed, nil
}

// withoutUnused removes imports of the standard library that the old text uses and the new one does not, and tidies the
// others if there are now more or fewer.
func withoutUnused(old, new []byte) ([]byte, error) {
	before, err := parser.ParseFile(token.NewFileSet(), "", old, 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	after, err := parser.ParseFile(fset, "", new, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var cut [][2]int
	file := fset.File(after.Pos())
	remove := func(n ast.Node) {
		start, end := file.Offset(n.Pos()), file.Offset(n.End())
		for end < len(new) && new[end] != '\n' {
			end++
		}
		for start > 0 && (new[start-1] == ' ' || new[start-1] == '\t') {
			start--
		}
		cut = append(cut, [2]int{start, min(end+1, len(new))})
	}
	for _, d := range after.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		var unused []ast.Node
		for _, s := range decl.Specs {
			spec := s.(*ast.ImportSpec)
			path, err := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			if err == nil && !strings.Contains(first, ".") && spec.Name == nil && astutil.UsesImport(before, path) &&
				!astutil.UsesImport(after, path) {
				unused = append(unused, spec)
			}
		}
		if len(unused) == len(decl.Specs) {
			unused = []ast.Node{decl}
		}
		for _, n := range unused {
			remove(n)
		}
	}
	for _, c := range slices.Backward(cut) {
		new = slices.Delete(slices.Clone(new), c[0], c[1])
	}
	if len(after.Imports)-len(cut) == len(before.Imports) {
		return new, nil
	}
	return oneImport(new)
}

// oneImport joins imports of one package each, and removes the parentheses around a single one. It leaves all other
// imports, and imports with comments, as they are.
func oneImport(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var from, to token.Pos
	var specs []string
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT || len(decl.Specs) != 1 {
			return text, nil
		}
		if from == token.NoPos {
			from = decl.Pos()
		}
		to = decl.End()
		specs = append(specs, string(
			text[fset.Position(decl.Specs[0].Pos()).Offset:fset.Position(decl.Specs[0].End()).Offset]))
	}
	for _, c := range file.Comments {
		if from <= c.Pos() && c.Pos() < to {
			return text, nil
		}
	}
	if len(specs) == 0 {
		return text, nil
	}
	all := "import " + specs[0]
	if len(specs) > 1 {
		slices.Sort(specs)
		all = "import (\n\t" + strings.Join(specs, "\n\t") + "\n)"
	}
	start, end := fset.Position(from).Offset, fset.Position(to).Offset
	return slices.Concat(text[:start], []byte(all), text[end:]), nil
}
