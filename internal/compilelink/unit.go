package compilelink

import (
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"go/version"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/harness"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A unit is a package that can be compiled without the go command: Go files without build constraints that import
// compiled packages only.
type unit struct {
	name       string   // the package's name
	importPath string   // "main" for a main package
	module     string   // the import path that the go command uses for it, "play"
	banner     string   // begins the messages about it
	language   string   // "1.26"
	dir        string   // its folder in the module, slash-separated, "" for the root
	files      []string // base names, in order
	flags      []string // of the compiler
	once       bool     // whether it is equal in many builds: the tests of an exercise, and its main package
}

// plainModule returns the path of a module whose go.mod sets only the path and the release's own language version. ok
// is false for any other module.
func (t Toolchain) plainModule(text []byte) (path string, ok bool) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil || f.Module == nil || module.CheckImportPath(f.Module.Mod.Path) != nil ||
		len(f.Require)+len(f.Exclude)+len(f.Replace)+len(f.Retract)+len(f.Godebug)+len(f.Tool)+len(f.Ignore) > 0 ||
		f.Toolchain != nil {
		return "", false
	}
	if f.Go != nil && (version.Lang("go"+f.Go.Version) != version.Lang(t.Go) ||
		version.Compare("go"+f.Go.Version, t.Go) > 0) {
		return "", false
	}
	// The go command resolves the imports of a module that has the name of a standard package differently.
	_, std := t.Archives.public[f.Module.Mod.Path]
	return f.Module.Mod.Path, !std
}

// plainName matches names of Go files that have no meaning for the go command, except suffixes for a platform, which
// anyPlatform finds.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_]*\.go$`)

// special matches text in a file that the go command acts upon: some comments, wherever they stand and with any kind of
// space, and NUL, which go/build refuses.
var special = regexp.MustCompile(`//go:(embed|debug|build|binary-only-package)|//[\s\v\x{85}\p{Z}]*\+build\b|\x00`)

// complete sorts the files and sets the package's name. It reports whether all files belong to one package, import only
// what is in imports, and contain nothing that the go command would act upon.
func (u *unit) complete(files map[string][]byte, imports map[string]bool) bool {
	slices.Sort(u.files)
	folded := map[string]bool{}
	for _, name := range u.files {
		text := files[path.Join(u.dir, name)]
		lower := strings.ToLower(name)
		if !plainName.MatchString(name) || !anyPlatform(name) || folded[lower] || special.Match(text) {
			return false
		}
		folded[lower] = true
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil || !importsOnly(file, imports) || u.name != "" && u.name != file.Name.Name ||
			file.Name.Name == "_" {
			return false
		}
		u.name = file.Name.Name
	}
	return len(u.files) > 0
}

// isTestFile reports whether only "go test" compiles a file.
func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

func importsOnly(file *ast.File, imports map[string]bool) bool {
	return !slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return !imports[harness.Imported(spec)]
	})
}

// anyPlatform reports whether a file's name has no suffix that restricts it to a platform.
func anyPlatform(name string) bool {
	none := gobuild.Context{GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }}
	match, err := none.MatchFile("", name)
	return err == nil && match
}
