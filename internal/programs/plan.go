package programs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// A Plan is how a program is built and run.
type Plan struct {
	// Files are the files to build, by slash-separated path. They include a go.mod, and the package to build is in the
	// root folder.
	Files map[string][]byte
	// Test is true for a program without a main function that has tests, benchmarks, fuzz tests or examples in File or
	// in the _test.go files of its root folder. These are run instead. If some are in File, it is Renamed to TestFile.
	Test, Renamed bool
	// Benchmarks is true if some of them are benchmarks.
	Benchmarks bool
	// Excluded are the Go files in the root folder that build constraints exclude.
	Excluded []string
	// Experiments are the names in the program's "// GOEXPERIMENT=" comments.
	Experiments []string
	// Ignored tells of each call that always fails here, and whose error the program ignores.
	Ignored []string
}

// TestFile replaces File as the name of a file with tests, because the go command finds tests only in _test.go files.
const TestFile = "prog_test.go"

// module is the path of a program's module, unless it brings a go.mod.
const module = "play"

// errPackage is a message of the Go playground that its clients recognize.
const errPackage = "package name must be main"

// Plan returns how to build the program for goos, on WebAssembly, with a Go release of the given language version,
// "1.26". If the program cannot be built, problem is the reason, for the sender.
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
			// The name becomes part of an environment variable, in which commas separate names.
			if strings.Trim(experiment, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				return Plan{}, fmt.Sprintf("%s: unknown GOEXPERIMENT %q\n", name, experiment)
			}
			p.Experiments = append(p.Experiments, experiment)
		}
	}
	if problem := f.planTests(&p, newPlatform(goos, p.Experiments)); problem != "" {
		return Plan{}, problem
	}
	p.Ignored = f.ignored(goos)
	if _, ok := p.Files["go.mod"]; !ok {
		p.Files["go.mod"] = []byte("module " + module + "\n\ngo " + language + "\n")
	}
	return p, ""
}

// newPlatform returns what build constraints are matched against.
func newPlatform(goos string, experiments []string) build.Context {
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled = goos, "wasm", false
	for _, name := range experiments {
		platform.ToolTags = append(slices.Clip(platform.ToolTags), "goexperiment."+name)
	}
	return platform
}

// match reports whether a Go file in the root folder is part of the program on the platform.
func (f *Files) match(platform build.Context, name string) (bool, error) {
	platform.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(f.text[name])), nil
	}
	return platform.MatchFile("", name)
}

// inRoot reports whether a file is a Go file in the root folder.
func inRoot(name string) bool { return !strings.Contains(name, "/") && path.Ext(name) == ".go" }

// planTests decides whether the plan runs tests: if File has some and no main function, or if only _test.go files have
// some and no file has a main function. If the plan would run neither, or build constraints exclude all Go files,
// problem says so to the sender.
func (f *Files) planTests(p *Plan, platform build.Context) (problem string) {
	file := scan(f.text[File])
	all, subfolder := file, "" // subfolder is a file in another folder that has tests
	hasMain := file.main
	built := false // whether some of the Go files in the root folder are
	for _, name := range f.names {
		match, err := false, error(nil)
		if inRoot(name) {
			match, err = f.match(platform, name)
			// The go command has a better message for a file that does not parse.
			built = built || match || err != nil
			if !match && err == nil {
				p.Excluded = append(p.Excluded, name)
			}
		}
		switch {
		case name == File:
		case inRoot(name):
			if !match || err != nil {
				continue
			}
			found := scan(f.text[name])
			if !isTest(name) {
				hasMain = hasMain || found.main
				continue
			}
			all.tests, all.benchmarks = all.tests || found.tests, all.benchmarks || found.benchmarks
		case isTest(name) && subfolder == "" && scan(f.text[name]).tests:
			subfolder = name
		}
	}
	inFile := file.tests && !file.main
	switch {
	case len(p.Excluded) > 0 && !built:
		return fmt.Sprintf("build constraints exclude all Go files: this is %s/wasm\n", platform.GOOS)
	case !inFile && hasMain:
		return ""
	case !all.tests && subfolder != "":
		return fmt.Sprintf("there is no main function, and the tests are in %s: only tests in the root folder are run\n",
			subfolder)
	}
	p.Test, p.Benchmarks = all.tests, all.benchmarks
	if !inFile {
		return ""
	}
	if _, taken := p.Files[TestFile]; taken {
		return fmt.Sprintf("the tests in %s are run as %s: give that file another name\n", File, TestFile)
	}
	p.Files[TestFile], p.Renamed = p.Files[File], true
	delete(p.Files, File)
	return ""
}

// isTest reports whether only "go test" compiles a file.
func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// unbuildable returns why a file cannot be part of a program here, "" if it can. It does not look for files that reach
// out of the program's folder, because the toolchain refuses such files.
func (f *Files) unbuildable(name string) string {
	text := f.text[name]
	fset := token.NewFileSet()
	if !strings.Contains(name, "/") {
		// As on the playground, any file that begins with a package clause is checked, whatever its name.
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

// experiment matches a "// GOEXPERIMENT=name" comment.
var experiment = regexp.MustCompile(`^//\s*GOEXPERIMENT\s*=\s*(.*\S)`)

// experiments returns the names in the comments of experiments at the top of a file.
func experiments(text string) (names []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
		if found := experiment.FindStringSubmatch(line); found != nil {
			names = append(names, found[1])
		}
	}
	return names
}

// benchmarkTime is the number of operations of each benchmark. Package testing cannot choose one by time, because a
// program's clock advances only while the program sleeps.
const benchmarkTime = "1000x"

// Source returns the plan as a toolchain's input.
func (p Plan) Source() execution.Source {
	return execution.Source{Files: p.Files, Test: p.Test, Experiments: p.Experiments}
}

// ModulePath returns the path of the program's module, "" if its go.mod has none.
func (p Plan) ModulePath() string { return modfile.ModulePath(p.Files["go.mod"]) }

// Args returns the arguments for the built program: for tests, to print each test's name, and for benchmarks, to run
// them and print their allocations. A main package gets none.
func (p Plan) Args() []string {
	switch {
	case p.Benchmarks:
		return []string{"-test.v", "-test.bench=.", "-test.benchmem", "-test.benchtime=" + benchmarkTime}
	case p.Test:
		return []string{"-test.v"}
	}
	return nil
}

// Compiled returns the plan for a build that runs nothing. Tests are part of the package that is compiled: tests that
// were in File are there again, and the text of a _test.go file stands in a file that go build compiles, under a line
// directive with its name.
func (p Plan) Compiled() Plan {
	if !p.Test {
		return p
	}
	p.Files = maps.Clone(p.Files)
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		text := p.Files[name]
		switch {
		case p.Renamed && name == TestFile:
			p.Files[File] = text
			delete(p.Files, TestFile)
		case inRoot(name) && isTest(name) && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "."):
			compiled := "zz" + strings.TrimSuffix(name, "_test.go") + ".go"
			for p.Files[compiled] != nil {
				compiled = "zz" + compiled
			}
			// The compiler adds no folder to a name in a line directive.
			line := "//line " + p.ModulePath() + "/" + name + ":1\n"
			p.Files[compiled] = append([]byte(line), text...)
		}
	}
	p.Test, p.Renamed, p.Benchmarks = false, false, false
	return p
}

// declared says what a file of package main declares.
type declared struct {
	main       bool // func main
	tests      bool // tests, benchmarks, fuzz tests, examples or TestMain
	benchmarks bool
}

// scan returns what a file declares: nothing if it does not parse, or is not part of package main.
func scan(text []byte) (found declared) {
	file, err := parser.ParseFile(token.NewFileSet(), File, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.Name.Name != "main" {
		return found
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		name := f.Name.Name
		switch {
		case name == "main":
			found.main = true
		case name == "TestMain" && takes(f, "M"), harness.IsTest(name, "Test") && takes(f, "T"),
			harness.IsTest(name, "Fuzz") && takes(f, "F"):
			found.tests = true
		case harness.IsTest(name, "Benchmark") && takes(f, "B"):
			found.tests, found.benchmarks = true, true
		}
	}
	found.tests = found.tests || len(doc.Examples(file)) > 0
	return found
}

// takes reports whether a function has a single parameter of type *T or *testing.T, where T is typeName. The package
// may be imported by any name.
func takes(f *ast.FuncDecl, typeName string) bool {
	if f.Type.Results != nil || f.Type.Params.NumFields() != 1 {
		return false
	}
	parameter, isPointer := strings.CutPrefix(types.ExprString(f.Type.Params.List[0].Type), "*")
	return isPointer && (parameter == typeName || strings.HasSuffix(parameter, "."+typeName))
}

// hasBenchmark reports whether a file of package main has a benchmark function, also beside a main function.
func hasBenchmark(text []byte) bool { return scan(text).benchmarks }
