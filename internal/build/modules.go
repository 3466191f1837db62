package build

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// usesModules reports whether the go command may need modules other than the program's own.
func usesModules(src execution.Source, a *compilelink.Archives) bool {
	f, err := modfile.Parse("go.mod", src.Files["go.mod"], nil)
	if err != nil || f.Module == nil || len(f.Require)+len(f.Replace)+len(f.Tool) > 0 {
		return true
	}
	module := f.Module.Mod.Path
	for name, text := range src.Files {
		paths, err := imports(name, text)
		if err != nil {
			return true
		}
		for _, path := range paths {
			if !a.Public(path) && path != module && !strings.HasPrefix(path, module+"/") {
				return true
			}
		}
	}
	return false
}

// imports returns the import paths in a file, none if it is not a Go file.
func imports(name string, text []byte) ([]string, error) {
	if !strings.HasSuffix(name, ".go") {
		return nil, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// assemblyFormat makes go list print the assembly files of modules, each on a line that begins with assemblyMark.
const assemblyFormat = `{{if not .Standard}}{{$p := .}}` +
	`{{range .SFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .HFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`

const assemblyMark = "assembly:"

// The files that assembly may include are part of the Go installation, or made by the go command.
var (
	include        = regexp.MustCompile(`include`)
	allowedInclude = regexp.MustCompile(`#include[ \t]+"(textflag|funcdata|go_asm)\.h"`)
)

// refuseAssembly refuses a program with a module whose assembly includes other files: the assembler quotes in its
// messages what it reads, and could read any file of the machine. listed is the output of go list with assemblyFormat.
func refuseAssembly(listed execution.ToolResult) execution.ToolResult {
	for line := range strings.Lines(string(listed.Output)) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), assemblyMark)
		if !ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || len(include.FindAll(text, -1)) != len(allowedInclude.FindAll(text, -1)) {
			return execution.ToolResult{
				Output: fmt.Appendf(nil, "%s: assembly that includes other files cannot be built here\n", name),
			}
		}
	}
	listed.Output = nil
	return listed
}
