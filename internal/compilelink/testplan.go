package compilelink

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// A TestPlan says how the test binary of a check is built.
type TestPlan struct {
	toolchain   Toolchain
	source      execution.Source
	code, tests unit // the package, and the external test package beside it
}

const harnessPrefix = "internal/harness/"

// Test plans the build of the test binary of a check. ok is false if it needs more than the archives, or only the go
// command can build it.
func (t Toolchain) Test(src execution.Source) (_ TestPlan, ok bool) {
	a := t.Archives
	if a.ImportConfig == "" {
		return TestPlan{}, false
	}
	importPath := "onthestack/" + src.Dir
	p := TestPlan{
		toolchain: t,
		source:    src,
		code:      unit{importPath: importPath, module: importPath, language: language, dir: src.Dir},
		tests:     unit{importPath: importPath + "_test", module: importPath, language: language, dir: src.Dir},
	}
	for name, text := range src.Files {
		dir, base := path.Split(name)
		switch {
		case strings.HasPrefix(name, harnessPrefix):
			if !bytes.Equal(text, a.harness[name]) {
				return TestPlan{}, false
			}
		case path.Ext(name) != ".go" && base != "go.mod":
			// The go command ignores it.
		case dir != src.Dir+"/":
			return TestPlan{}, false
		case isTestFile(name):
			p.tests.files = append(p.tests.files, base)
		default:
			p.code.files = append(p.code.files, base)
		}
	}
	if _, ok := src.Files[src.Dir+"/"+harness.MainFile]; !ok {
		return TestPlan{}, false
	}
	imports := maps.Clone(a.public)
	imports[importPath] = true
	for path := range a.listed {
		if strings.HasPrefix(path, "onthestack/"+harnessPrefix) {
			imports[path] = true
		}
	}
	text := func(name string) []byte { return src.Files[src.Dir+"/"+name] }
	ok = p.code.complete(text, a.public) && p.tests.complete(text, imports) &&
		p.code.name != "main" && !strings.HasSuffix(p.code.name, "_test") && p.tests.name == p.code.name+"_test"
	return p, ok
}

// Build compiles and links as "go test -c -gcflags=-m=2" does, with two differences: it makes no escape report on the
// test files, which are not part of a verdict, and its main package needs less; see harness.Main.
func (p TestPlan) Build(ctx context.Context, m Machine) (execution.ToolResult, error) {
	program := unit{importPath: "main", module: p.code.importPath + ".test", language: p.code.language,
		files: []string{"main.go"}}
	s := p.toolchain.begin(m, nil)
	s.write(path.Join(Source, program.files[0]), harness.Main(p.tests.importPath))
	for _, name := range slices.Concat(p.code.files, p.tests.files) {
		name = p.source.Dir + "/" + name
		s.write(path.Join(Source, name), p.source.Files[name])
	}
	s.compile(ctx, p.code, p.code.importPath, "-m=2")
	s.compileOnce(ctx, p.tests, p.tests.importPath+" ["+program.module+"]")
	s.compileOnce(ctx, program, program.module)
	s.link(ctx, program.module, "-X=testing.testBinary=1", "-X=runtime.godebugDefault="+p.toolchain.Archives.godebug)
	return s.result, s.err
}
