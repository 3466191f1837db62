package toolchain

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/harness"
	"onthestack/internal/verdict"
)

// BuildTest implements verdict.Builder: one build of the package's test binary, with the escape report. Where it can it does what
// "go test -c" does by itself, and links a main package that needs less; see harness.Main.
func (t *Isolated) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	p := Program{Files: src.Files, Test: true}
	if why := p.refuse(); why != "" {
		return t.refused(why), nil
	}
	ctx, cancel := t.limits.deadline(ctx)
	defer cancel()
	return t.within(func(j *job) error {
		if err := t.prepareFor(ctx, src.Files); err != nil {
			return err
		}
		if u, ok := t.directTest(src); ok {
			return j.directTest(ctx, src, u)
		}
		if err := lay(j.source(), src.Files); err != nil {
			return err
		}
		// Vet has no say in a verdict.
		return j.command(ctx, p, src.Dir, "test", "-c", "-vet=off", "-gcflags=-m=2", "-buildvcs=false", "-ldflags="+linkFlags, "-o", j.binary())
	})
}

// A testUnit is a package, the external test package beside it, and the archives that both find.
type testUnit struct {
	code, tests unit
	archives    *archives
}

const harnessPrefix = "internal/harness/"

// directTest returns the package of src as units; false where only the go command knows what they are to be.
func (t *Isolated) directTest(src verdict.Source) (testUnit, bool) {
	if t.options.CommandOnly {
		return testUnit{}, false
	}
	return t.archives.Load().testUnit(src)
}

// testUnit returns the package of src as units; false where they need more than the archives, or the go command.
func (a *archives) testUnit(src verdict.Source) (testUnit, bool) {
	if a.importcfg == "" {
		return testUnit{}, false
	}
	importPath := "onthestack/" + src.Dir
	language := strings.TrimPrefix(Oldest, "go")
	u := testUnit{
		code:     unit{importPath: importPath, module: importPath, language: language, dir: src.Dir},
		tests:    unit{importPath: importPath + "_test", module: importPath, language: language, dir: src.Dir},
		archives: a,
	}
	for name, text := range src.Files {
		dir, base := path.Split(name)
		switch {
		case strings.HasPrefix(name, harnessPrefix):
			if !bytes.Equal(text, a.harness[name]) {
				return testUnit{}, false
			}
		case path.Ext(name) != ".go" && base != "go.mod":
			// nothing to the go command
		case dir != src.Dir+"/":
			return testUnit{}, false
		case strings.HasSuffix(name, "_test.go"):
			u.tests.files = append(u.tests.files, base)
		default:
			u.code.files = append(u.code.files, base)
		}
	}
	if _, ok := src.Files[src.Dir+"/"+harness.MainFile]; !ok {
		return testUnit{}, false
	}
	imports := maps.Clone(a.public)
	imports[importPath] = true
	for path := range a.listed {
		if strings.HasPrefix(path, "onthestack/"+harnessPrefix) {
			imports[path] = true
		}
	}
	text := func(name string) []byte { return src.Files[src.Dir+"/"+name] }
	ok := u.code.complete(text, a.public) && u.tests.complete(text, imports) &&
		u.code.name != "main" && !strings.HasSuffix(u.code.name, "_test") && u.tests.name == u.code.name+"_test"
	return u, ok
}

// directTest compiles and links as "go test -c -gcflags=-m=2" does, but for the report on the test files, which are no part of a
// verdict.
func (j *job) directTest(ctx context.Context, src verdict.Source, u testUnit) error {
	s := j.stepwise(u.archives, nil)
	s.test(ctx, src, u, j.binary())
	return j.end(s, j.binary())
}

// test lays out a package with its tests, compiles both with the report on the package, and links them with a main package of
// ours.
func (s *steps) test(ctx context.Context, src verdict.Source, u testUnit, binary string) {
	program := unit{importPath: "main", module: u.code.importPath + ".test", language: u.code.language, files: []string{"main.go"}}
	s.err = write(s.source, program.files[0], harness.Main(u.tests.importPath))
	for _, name := range slices.Concat(u.code.files, u.tests.files) {
		name = src.Dir + "/" + name
		s.err = errors.Join(s.err, write(s.source, name, src.Files[name]))
	}
	s.compile(ctx, u.code, u.code.importPath, "-m=2")
	s.compile(ctx, u.tests, u.tests.importPath+" ["+program.module+"]")
	s.compile(ctx, program, program.module)
	s.link(ctx, binary, program.module, "-X=testing.testBinary=1", "-X=runtime.godebugDefault="+u.archives.godebug)
}
