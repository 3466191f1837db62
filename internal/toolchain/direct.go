package toolchain

import (
	"context"
	"encoding/hex"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"go/version"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A unit is a package that the compiler can be given without the go command's help: Go files without conditions, over packages
// that are compiled.
type unit struct {
	name       string   // of the package
	importPath string   // "main" for a main package
	module     string   // the import path by which the go command knows it, "play"
	language   string   // "1.26"
	dir        string   // its folder in the module, slash-separated, "" for the root
	files      []string // base names, in order
}

// directProgram returns the root package of a program as a unit; false where only the go command knows what it is to be.
func (t *Isolated) directProgram(p Program) (unit, bool) {
	a := t.archives.Load()
	if t.options.CommandOnly || p.Test || len(p.Experiments) > 0 || a.importcfg == "" {
		return unit{}, false
	}
	module, ok := t.directModule(p.Files["go.mod"])
	if !ok {
		return unit{}, false
	}
	u := unit{importPath: "main", module: module, language: t.language()}
	for name := range p.Files {
		if strings.HasSuffix(name, ".go") {
			if strings.Contains(name, "/") {
				return unit{}, false
			}
			u.files = append(u.files, name)
		}
	}
	return u, u.complete(func(name string) []byte { return p.Files[name] }, a.public) && u.name == "main"
}

// directModule returns the path of a module of which nothing matters but its name: its language is the release's.
func (t *Isolated) directModule(text []byte) (string, bool) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil || f.Module == nil || module.CheckImportPath(f.Module.Mod.Path) != nil ||
		len(f.Require)+len(f.Exclude)+len(f.Replace)+len(f.Retract)+len(f.Godebug)+len(f.Tool)+len(f.Ignore) > 0 || f.Toolchain != nil {
		return "", false
	}
	installed := goVersion(t.release.version)
	if f.Go != nil && (version.Lang("go"+f.Go.Version) != version.Lang(installed) || version.Compare("go"+f.Go.Version, installed) > 0) {
		return "", false
	}
	// A module named as a package of the standard library is another matter.
	std := t.std.Load()
	return f.Module.Mod.Path, std != nil && !slices.Contains(*std, f.Module.Mod.Path)
}

// plainName is a name of a Go file of which the go command makes nothing; suffixes that name a platform are found elsewhere.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_]*\.go$`)

// special is what the go command, or its reading of the package, acts upon in a file.
var special = regexp.MustCompile(`go:(embed|debug|build|binary-only-package)|\+build|\x00`)

// complete sorts the files and sets the package's name. It reports whether all of them belong to one package that imports
// only what is in imports, and hold nothing that the go command would act upon.
func (u *unit) complete(text func(name string) []byte, imports map[string]bool) bool {
	slices.Sort(u.files)
	folded := map[string]bool{}
	for _, name := range u.files {
		lower := strings.ToLower(name)
		if !plainName.MatchString(name) || !anyPlatform(name) || folded[lower] || special.Match(text(name)) {
			return false
		}
		folded[lower] = true
		file, err := parser.ParseFile(token.NewFileSet(), name, text(name), parser.ImportsOnly)
		if err != nil || !importsOnly(file, imports) || u.name != "" && u.name != file.Name.Name || file.Name.Name == "_" {
			return false
		}
		u.name = file.Name.Name
	}
	return len(u.files) > 0
}

func importsOnly(file *ast.File, imports map[string]bool) bool {
	return !slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		path, err := strconv.Unquote(spec.Path.Value)
		return err != nil || !imports[path]
	})
}

// anyPlatform reports whether a file's name has no suffix that keeps it to one platform.
func anyPlatform(name string) bool {
	none := gobuild.Context{GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }}
	match, err := none.MatchFile("", name)
	return err == nil && match
}

// direct builds a program that is a unit: compiled, and linked unless the compiler's report is all that is wanted.
func (j *job) direct(ctx context.Context, p Program, u unit, report bool) error {
	if err := j.lay(p.Files, u.files); err != nil {
		return err
	}
	s := j.stepwise(j.t.archives.Load(), u.buildInfo())
	if report {
		s.compile(ctx, u, u.module, "-m=2")
		return j.end(s, "")
	}
	s.compile(ctx, u, u.module)
	s.link(ctx, j.binary(), u.module)
	return j.end(s, j.binary())
}

// What stands around the build information in a binary; see runtime/debug.ReadBuildInfo.
var infoStart, infoEnd = unhex("3077af0c9274080241e1c107e6d618e6"), unhex("f932433186182072008242104116d8f2")

func unhex(s string) string {
	b, _ := hex.DecodeString(s)
	return string(b)
}

// buildInfo is what the go command has the linker write about a program for itself to read.
func (u unit) buildInfo() []byte {
	info := debug.BuildInfo{Path: u.module, Main: debug.Module{Path: u.module, Version: "(devel)"}}
	for _, s := range [][2]string{{"-buildmode", "exe"}, {"-compiler", "gc"}, {"-trimpath", "true"}, {"CGO_ENABLED", "0"}, {"GOARCH", "wasm"}, {"GOOS", "wasip1"}} {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: s[0], Value: s[1]})
	}
	return fmt.Appendf(nil, "modinfo %q\n", infoStart+info.String()+infoEnd)
}
