package compilelink

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// A Plan says how a program or a test binary is built.
type Plan struct {
	toolchain Toolchain
	files     map[string][]byte // of the module; the units name the files that are written
	units     []unit            // in the order in which they are compiled; the last one is linked
	info      []byte            // what the linker reads besides the list of archives
	linkFlags []string
}

// Program plans the build of a program's root package without its tests or, with src.Test, of its tests, which must be
// in its root folder and in package main. ok is false if only the go command can build it.
func (t Toolchain) Program(src execution.Source) (_ Plan, ok bool) {
	module, ok := t.plainModule(src.Files["go.mod"])
	if !ok || len(src.Experiments) > 0 || t.Archives.ImportConfig == "" {
		return Plan{}, false
	}
	program := unit{importPath: "main", module: module, banner: module, language: t.Language()}
	tests := program
	for name := range src.Files {
		switch {
		case !strings.HasSuffix(name, ".go"):
		case strings.Contains(name, "/"):
			return Plan{}, false
		case isTestFile(name):
			tests.files = append(tests.files, name)
		default:
			program.files = append(program.files, name)
		}
	}
	if src.NoInlining {
		program.flags = []string{"-l"}
	}
	imports := t.Archives.public
	if src.Harness {
		imports = t.Archives.listed
	}
	plan := Plan{toolchain: t, files: src.Files, info: t.buildInfo(module)}
	if src.Test {
		program.files = slices.Concat(program.files, tests.files)
		if len(tests.files) == 0 || !t.Archives.listed[testDeps] || !program.complete(src.Files, imports) {
			return Plan{}, false
		}
		plan.addTestMain(program)
		return plan, program.name == "main"
	}
	// "go build" does not compile tests, but it reads their package clauses and imports.
	if !program.complete(src.Files, imports) || len(tests.files) > 0 &&
		(!tests.complete(src.Files, imports) || strings.TrimSuffix(tests.name, "_test") != "main") {
		return Plan{}, false
	}
	plan.units = []unit{program}
	return plan, program.name == "main"
}

const harnessPrefix = "internal/harness/"

// Test plans the build of the test binary of a check, as "go test -c -gcflags=-m=2" makes it, with two differences: it
// makes no escape report on the test files, which are not part of a verdict, and its main package needs less; see
// harness.Main. ok is false if the build needs more than the archives, or only the go command can do it.
func (t Toolchain) Test(src execution.Source) (_ Plan, ok bool) {
	a := t.Archives
	if a.ImportConfig == "" {
		return Plan{}, false
	}
	importPath := "onthestack/" + src.Dir
	binary := importPath + ".test"
	code := unit{importPath: importPath, module: importPath, banner: importPath, language: language, dir: src.Dir,
		flags: []string{"-m=2"}}
	tests := unit{importPath: importPath + "_test", module: importPath, banner: importPath + "_test [" + binary + "]",
		language: language, dir: src.Dir, once: true}
	program := unit{importPath: "main", module: binary, banner: binary, language: language, files: []string{"main.go"},
		once: true}
	for name, text := range src.Files {
		dir, base := path.Split(name)
		switch {
		case strings.HasPrefix(name, harnessPrefix):
			if !bytes.Equal(text, a.harness[name]) {
				return Plan{}, false
			}
		case path.Ext(name) != ".go" && base != "go.mod":
			// The go command ignores it.
		case dir != src.Dir+"/":
			return Plan{}, false
		case isTestFile(name):
			tests.files = append(tests.files, base)
		default:
			code.files = append(code.files, base)
		}
	}
	if _, ok := src.Files[src.Dir+"/"+harness.MainFile]; !ok {
		return Plan{}, false
	}
	imports := maps.Clone(a.public)
	imports[importPath] = true
	for path := range a.listed {
		if strings.HasPrefix(path, "onthestack/"+harnessPrefix) {
			imports[path] = true
		}
	}
	ok = code.complete(src.Files, a.public) && tests.complete(src.Files, imports) &&
		code.name != "main" && !strings.HasSuffix(code.name, "_test") && tests.name == code.name+"_test"
	files := maps.Clone(src.Files)
	files[program.files[0]] = harness.Main(tests.importPath)
	return Plan{toolchain: t, files: files, units: []unit{code, tests, program},
		linkFlags: []string{"-X=testing.testBinary=1", "-X=runtime.godebugDefault=" + a.godebug}}, ok
}

// Build compiles and links the program as "go build" does, or its tests as "go test -c" does.
func (p Plan) Build(ctx context.Context, m Machine) (execution.ToolResult, error) {
	s := p.begin(m)
	for _, u := range p.units {
		s.compileOnce(ctx, u)
	}
	s.link(ctx)
	return s.result, s.err
}

// Report compiles the program with the escape report (-m=2), and links nothing.
func (p Plan) Report(ctx context.Context, m Machine) (execution.ToolResult, error) {
	p.units = slices.Clone(p.units[:1])
	p.units[0].flags = []string{"-m=2"}
	s := p.begin(m)
	s.compile(ctx, p.units[0])
	return s.result, s.err
}

// The linker puts the build information between these markers, where runtime/debug.ReadBuildInfo finds it.
const (
	infoStart = "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6"
	infoEnd   = "\xf9\x32\x43\x31\x86\x18\x20\x72\x00\x82\x42\x10\x41\x16\xd8\xf2"
)

// buildInfo returns the build information that the go command passes to the linker.
func (t Toolchain) buildInfo(module string) []byte {
	info := debug.BuildInfo{Path: module, Main: debug.Module{Path: module, Version: "(devel)"},
		Settings: []debug.BuildSetting{{Key: "-buildmode", Value: "exe"}, {Key: "-compiler", Value: "gc"},
			{Key: "-trimpath", Value: "true"}, {Key: "CGO_ENABLED", Value: "0"}, {Key: "GOARCH", Value: t.GOARCH},
			{Key: "GOOS", Value: t.GOOS}}}
	return fmt.Appendf(nil, "modinfo %q\n", infoStart+info.String()+infoEnd)
}
