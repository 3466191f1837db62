// Package harness writes the source that a check adds to the package that it builds: the packages testmain and wire,
// and a TestMain that calls them (harness.go). It also finds the tests and benchmarks in a file, and marks where a
// benchmark's timer is stopped (rewrite.go). For a package of another module, it measures from an overlay (overlay.go),
// with changed sources of two packages of the standard library (standard.go). To a program that a client sends, it adds
// packages; package recorder among them reports steps.
package harness

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed wire/*.go testmain/*.go recorder/*.go
var sources embed.FS

// MainFile is the name of the file with the TestMain that Files adds to the checked package.
const MainFile = "zz_checkalloc_test.go"

// A Benchmark is a benchmark function with its targets: the allocs/op, B/op and live B/op that it may reach at most,
// nil for no target. Confirm names the benchmark functions that confirm a pass.
type Benchmark struct {
	Name                string
	Allocs, Bytes, Live *float64
	Confirm             []string
}

// Files returns the files that a check adds to the module "onthestack" beside the package in folder dir, a
// slash-separated path relative to the module's root: the harness's packages and, in dir itself, a TestMain in package
// pkg that runs the named tests or measures the benchmarks. Keys are slash-separated paths from the module's root.
//
// The package can then be built by "go test -c". If pkg is an external test package, it can also be linked with the
// main package that Main returns, because the TestMain does not use the testing.M of "go test".
func Files(dir, pkg string, tests []string, benchmarks []Benchmark) (map[string][]byte, error) {
	files, err := packages("internal/harness/", ImportPath)
	if err != nil {
		return nil, err
	}
	files[dir+"/"+MainFile] = testMain(pkg, tests, benchmarks)
	return files, nil
}

// ImportPath is the import path below which the harness's packages are in their own source, and in compiled archives.
const ImportPath = "onthestack/internal/harness"

// packages returns the sources of the harness's packages for a folder with the import path base, without their tests
// and the files and folders with these base names. The names of the files begin with prefix.
func packages(prefix, base string, without ...string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") ||
			slices.Contains(without, path.Base(name)) || slices.Contains(without, path.Dir(name)) {
			return err
		}
		text, err := sources.ReadFile(name)
		files[prefix+name] = bytes.ReplaceAll(text, []byte(`"`+ImportPath+`/`), []byte(`"`+base+`/`))
		return err
	})
	return files, err
}

// ProgramPackages returns the sources of the packages that measure the main function of a program and record its steps,
// "wire/wire.go" and so on, for a folder with the given import path; see testmain.Once and package recorder.
func ProgramPackages(base string) (map[string][]byte, error) { return packages("", base, "parse.go") }

func testMain(pkg string, tests []string, benchmarks []Benchmark) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	b.WriteString("import (\n\t\"os\"\n\t\"testing\"\n\n\t\"onthestack/internal/harness/testmain\"\n)\n\n")
	b.WriteString("func TestMain(*testing.M) {\n\tos.Exit(testmain.Run([]testing.InternalTest{\n")
	for _, name := range tests {
		fmt.Fprintf(&b, "\t\t{Name: %q, F: %s},\n", name, name)
	}
	b.WriteString("\t}, []testmain.Benchmark{\n")
	for _, m := range benchmarks {
		fmt.Fprintf(&b, "\t\t{Name: %q, F: %s, Allocs: %s, Bytes: %s, Live: %s, Confirm: []testing.InternalBenchmark{\n",
			m.Name, m.Name, target(m.Allocs), target(m.Bytes), target(m.Live))
		for _, name := range m.Confirm {
			fmt.Fprintf(&b, "\t\t\t{Name: %q, F: %s},\n", name, name)
		}
		b.WriteString("\t\t}},\n")
	}
	b.WriteString("\t}))\n}\n\n")
	writeTimerCalls(&b, markPrefix, "testmain")
	writeCall(&b, markPrefix, looping, "testmain")
	writeCall(&b, markPrefix, looped, "testmain")
	return []byte(b.String())
}

// target returns a target of a testmain.Benchmark as Go source.
func target(most *float64) string {
	if most == nil {
		return "testmain.NoTarget"
	}
	return strconv.FormatFloat(*most, 'g', -1, 64)
}

// markPrefix begins the names of the functions in MainFile that marked benchmarks call.
const markPrefix = "zz"

// Mark returns the source of a test file in which benchmarks report where their setup ends and when their timer is
// stopped. It inserts a call after each call of a timer's method, and before and after each loop over b.Loop, on the
// same line. Allocations of the setup are then not recorded, because recording them can take seconds under WebAssembly.
// Allocations while the timer is stopped do not count. The file was parsed with its objects resolved.
func Mark(fset *token.FileSet, file *ast.File, source []byte) []byte {
	marked, _ := rewrite(&rewriter{fset: fset, prefix: markPrefix}, file, source)
	return marked
}

// Main returns the source of a main package that runs the external test package with the given import path, like the
// main package of "go test" but with a third less code to link. Under WebAssembly each MB of code takes 0.25 s to load.
// The program must be linked with -X=testing.testBinary=1, as "go test" does, so that testing.Testing reports true.
func Main(testImportPath string) []byte {
	return fmt.Appendf(nil, `package main

import (
	"flag"
	"testing"

	checked %q
)

func main() {
	testing.Init()
	flag.Parse()
	checked.TestMain(nil)
}
`, testImportPath)
}

// Functions returns the names of the functions in a test file that "go test" would run for a prefix ("Test",
// "Benchmark"), in their order.
func Functions(file *ast.File, prefix string) (names []string) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		if name := f.Name.Name; name != "TestMain" && IsTest(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// Imports returns the import paths in a Go file, and none if the name is of another file.
func Imports(name string, text []byte) (paths []string, err error) {
	if !strings.HasSuffix(name, ".go") {
		return nil, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range file.Imports {
		paths = append(paths, Imported(spec))
	}
	return paths, nil
}

// Imported returns the import path of a spec that was parsed without an error, and therefore has one.
func Imported(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// QualifiedName returns the name of a function, and "Type.Method" for a method.
func QualifiedName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	for id := range ast.Preorder(f.Recv.List[0].Type) {
		if id, ok := id.(*ast.Ident); ok {
			return id.Name + "." + f.Name.Name
		}
	}
	return ""
}

// IsTest reports whether "go test" takes a function of that name for a test of the kind that begins with prefix
// ("Test", "Benchmark", "Fuzz"): Test and TestX are tests, Testify is not. It also reports true for TestMain.
func IsTest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}
