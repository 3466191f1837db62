package ownership_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/ownership"
)

// BenchmarkCheck checks the solutions of all exercises, one operation for all.
func BenchmarkCheck(b *testing.B) {
	catalog, err := exercise.Sealed()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, e := range catalog {
			fset := token.NewFileSet()
			var files []*ast.File
			for name, text := range e.Solution {
				file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
				if err != nil {
					b.Fatal(err)
				}
				files = append(files, file)
			}
			if found, unchecked := ownership.Check(fset, e.ImportPath(), files); len(found) > 0 || unchecked != nil {
				b.Fatal(e.ID, found, unchecked)
			}
		}
	}
}
