package playground

import (
	"bytes"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// A Plan is how a program is built and run.
type Plan struct {
	// Files are the files to build, by slash-separated path. The package is that of the folder they are in. There is a
	// go.mod.
	Files map[string][]byte
	// Test is true for a program without func main that has tests, benchmarks, fuzz tests or examples: they are what runs.
	// File is then testFile.
	Test bool
	// Benchmarks is true where some of them are benchmarks.
	Benchmarks bool
	// Experiments are what the program asks for by "// GOEXPERIMENT=" comments.
	Experiments []string
}

// testFile is what File is called where it holds tests: the go command finds tests in such files only.
const testFile = "prog_test.go"

// module is the path of a program's module, unless it brings a go.mod.
const module = "play"

// errPackage is the playground's text; its clients know it.
const errPackage = "package name must be main"

// Plan returns how to build the program for goos, on WebAssembly, with a release of Go, "1.26". A problem, for the
// sender, is why it cannot be built.
func (f *Files) Plan(goos, language string) (p Plan, problem string) {
	if len(f.names) == 0 {
		return Plan{}, "there is no program: it is empty\n"
	}
	for _, name := range f.names {
		if problem := f.unbuildable(name); problem != "" {
			return Plan{}, problem
		}
	}
	p = Plan{Files: maps.Clone(f.text)}
	for _, name := range f.names {
		if strings.Contains(name, "/") {
			continue
		}
		for _, experiment := range experiments(string(f.text[name])) {
			// It becomes part of an environment variable, where a comma separates names.
			if strings.Trim(experiment, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				return Plan{}, fmt.Sprintf("%s: unknown GOEXPERIMENT %q\n", name, experiment)
			}
			p.Experiments = append(p.Experiments, experiment)
		}
	}
	if f.excluded(goos, p.Experiments) {
		return Plan{}, fmt.Sprintf("build constraints exclude all Go files: this is %s/wasm\n", goos)
	}
	p.Test, p.Benchmarks = tests(f.text[File])
	if p.Test {
		if _, taken := p.Files[testFile]; taken {
			return Plan{}, fmt.Sprintf("the tests in %s are run as %s: give that file another name\n", File, testFile)
		}
		p.Files[testFile] = p.Files[File]
		delete(p.Files, File)
	}
	if _, ok := p.Files["go.mod"]; !ok {
		p.Files["go.mod"] = []byte("module " + module + "\n\ngo " + language + "\n")
	}
	return p, ""
}

// excluded tells whether the program has Go files of its own folder and none of them is for the platform that programs
// run on.
func (f *Files) excluded(goos string, experiments []string) bool {
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled = goos, "wasm", false
	for _, name := range experiments {
		platform.ToolTags = append(platform.ToolTags[:len(platform.ToolTags):len(platform.ToolTags)], "goexperiment."+name)
	}
	some := false
	for _, name := range f.names {
		if strings.Contains(name, "/") || path.Ext(name) != ".go" {
			continue
		}
		platform.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.text[name])), nil }
		if match, err := platform.MatchFile("", name); match || err != nil {
			return false // of what does not parse, the go command says more
		}
		some = true
	}
	return some
}

// unbuildable says what keeps a file from being one of a main package here. What reaches out of the program is refused
// by the toolchain.
func (f *Files) unbuildable(name string) string {
	text := f.text[name]
	fset := token.NewFileSet()
	if !strings.Contains(name, "/") {
		// As on the playground, a file of any name counts here that begins like Go.
		file, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly)
		if err == nil && file.Name.Name != "main" {
			return errPackage
		}
	}
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil || path.Ext(name) != ".go" {
		return ""
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return fmt.Sprintf("./%s: import \"C\": there is no cgo here\n", fset.PositionFor(spec.Pos(), false))
		}
	}
	return ""
}

// experiments returns what the comments at the top of a file ask for: "// GOEXPERIMENT=name".
func experiments(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment, ok := strings.CutPrefix(line, "//")
		switch {
		case line == "":
			continue
		case !ok:
			return names
		}
		comment, ok = strings.CutPrefix(strings.TrimSpace(comment), "GOEXPERIMENT")
		name, assigned := strings.CutPrefix(strings.TrimSpace(comment), "=")
		if name = strings.TrimSpace(name); ok && assigned && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// benchmarkTime is how often a benchmark's operation runs. With a clock that only moves when the program sleeps,
// package testing could not find a number of its own.
const benchmarkTime = "1000x"

// ModulePath is the path of the program's module, "" where its go.mod has none.
func (p Plan) ModulePath() string { return modfile.ModulePath(p.Files["go.mod"]) }

// Args are the arguments that make the built tests run: each with its name, as "go test -v", benchmarks with what they
// allocate. A main package gets none.
func (p Plan) Args() []string {
	switch {
	case p.Benchmarks:
		return []string{"-test.v", "-test.bench=.", "-test.benchmem", "-test.benchtime=" + benchmarkTime}
	case p.Test:
		return []string{"-test.v"}
	}
	return nil
}

// Compiled is the plan for a build in which nothing is to run: tests are left in File.
func (p Plan) Compiled() Plan {
	if !p.Test {
		return p
	}
	p.Files = maps.Clone(p.Files)
	p.Files[File] = p.Files[testFile]
	delete(p.Files, testFile)
	p.Test, p.Benchmarks = false, false
	return p
}
