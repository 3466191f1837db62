package exercise

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Dependencies returns the import paths of the packages that a check of e may need: the imports of its files, and those
// that a solution may have.
func (e *Exercise) Dependencies() []string {
	// The file that a check adds to the tests imports these.
	paths := append([]string{"os", "testing"}, e.Imports...)
	for name, text := range e.Files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			continue // the build reports it
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != e.ImportPath() {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
