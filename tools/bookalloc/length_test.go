package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestFunctionLength proves that no function of this module is longer than 80 lines, from its first line to its closing
// brace. Tests, and the code of the book and of its exercises, are not counted.
func TestFunctionLength(t *testing.T) {
	const maxLines = 80
	files := os.DirFS(repository)
	found := 0
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := entry.Name()
			if name != "." && strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" ||
				slices.Contains([]string{"book", "exercises", "solutions"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			function := "a function literal"
			switch n := n.(type) {
			case *ast.FuncDecl:
				function = n.Name.Name
			case *ast.FuncLit:
			default:
				return true
			}
			found++
			// PositionFor ignores line directives.
			first, last := positions.PositionFor(n.Pos(), false), positions.PositionFor(n.End(), false)
			if lines := last.Line - first.Line + 1; lines > maxLines {
				t.Errorf("%s:%d: %s has %d lines, more than %d: split it along its steps",
					name, first.Line, function, lines, maxLines)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 1000 {
		t.Errorf("%d functions were found, which cannot be all of this module", found)
	}
}
