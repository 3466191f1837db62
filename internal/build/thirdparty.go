package build

import (
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/compilelink"
)

// thirdParty reports whether the go command may come upon modules other than the program's own.
func thirdParty(p compilelink.Program, a *compilelink.Archives) bool {
	f, err := modfile.Parse("go.mod", p.Files["go.mod"], nil)
	if err != nil || f.Module == nil || len(f.Require)+len(f.Replace)+len(f.Tool) > 0 {
		return true
	}
	module := f.Module.Mod.Path
	for name, text := range p.Files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return true
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !a.Public(imported) && imported != module && !strings.HasPrefix(imported, module+"/") {
				return true
			}
		}
	}
	return false
}
