package fix

import (
	"bytes"
	"cmp"
	"errors"
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

// Apply makes the edits and returns the text of the files that they change. Edits that are equal, such as the same
// import, are made once; others that overlap cannot be made. Files that were formatted are formatted,
// and their imports of the standard library that are no longer used are removed.
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
		lineEnd := "\n"
		if bytes.Contains(old, []byte("\r\n")) {
			lineEnd = "\r\n"
		}
		var b bytes.Buffer
		at := 0
		for _, e := range list {
			if e.Start < at || e.End < e.Start || e.End > len(old) {
				return nil, errors.New("the edits overlap")
			}
			b.Write(old[at:e.Start])
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", lineEnd))
			at = e.End
		}
		b.Write(old[at:])
		text := b.Bytes()
		plain := bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n"))
		if formatted, err := format.Source(plain); err == nil && bytes.Equal(formatted, plain) {
			if text, err = tidy(plain, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			text = bytes.ReplaceAll(text, []byte("\n"), []byte(lineEnd))
		}
		changed[name] = text
	}
	return changed, nil
}

// tidy formats a file, puts imports that the old text does not have with the others, and removes imports of the
// standard library that the old text uses and the new one does not.
func tidy(old, new []byte) ([]byte, error) {
	fset := token.NewFileSet()
	before, err := parser.ParseFile(fset, "", old, 0)
	if err != nil {
		return nil, err
	}
	after, err := parser.ParseFile(fset, "", new, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	had := map[string]bool{}
	for _, spec := range before.Imports {
		had[spec.Path.Value] = true
	}
	for _, spec := range slices.Clone(after.Imports) {
		path, err := strconv.Unquote(spec.Path.Value)
		first, _, _ := strings.Cut(path, "/")
		switch {
		case err != nil || spec.Name != nil || strings.Contains(first, "."):
		case !had[spec.Path.Value]:
			astutil.DeleteImport(fset, after, path)
			astutil.AddImport(fset, after, path)
		case astutil.UsesImport(before, path) && !astutil.UsesImport(after, path):
			astutil.DeleteImport(fset, after, path)
		}
	}
	if len(after.Imports) == 1 && (len(before.Imports) > 1 || !had[after.Imports[0].Path.Value]) {
		d := after.Decls[0].(*ast.GenDecl)
		if spec := d.Specs[0].(*ast.ImportSpec); spec.Doc == nil && spec.Comment == nil {
			d.Lparen = token.NoPos // a single import needs no parentheses
		}
	}
	ast.SortImports(fset, after)
	var b bytes.Buffer
	err = format.Node(&b, fset, after)
	return b.Bytes(), err
}
