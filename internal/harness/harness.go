// Package harness holds what a check adds to the package that it builds: the sources of packages testmain and wire, and a
// TestMain that calls them.
package harness

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed wire/*.go testmain/*.go
var sources embed.FS

// MainFile is the name of the file that Files adds to the checked package.
const MainFile = "zz_checkalloc_test.go"

// Files returns what a module named "onthestack" needs beside the package in folder dir (slash-separated, relative to the
// module's root): the harness's packages and, in dir itself, a TestMain in package pkg that measures the named benchmarks.
// Keys are slash-separated paths from the module's root.
func Files(dir, pkg string, benchmarks []string) (map[string][]byte, error) {
	files := map[string][]byte{dir + "/" + MainFile: mainFile(pkg, benchmarks)}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files["internal/harness/"+name], err = sources.ReadFile(name)
		return err
	})
	return files, err
}

func mainFile(pkg string, benchmarks []string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"onthestack/internal/harness/testmain\"\n)\n\n", pkg)
	b.WriteString("func TestMain(m *testing.M) {\n\tos.Exit(testmain.Run(m, []testing.InternalBenchmark{\n")
	for _, name := range benchmarks {
		fmt.Fprintf(&b, "\t\t{Name: %q, F: %s},\n", name, name)
	}
	b.WriteString("\t}))\n}\n")
	return []byte(b.String())
}

// Functions returns the names of the functions in a test file's source that "go test" would run for a prefix ("Test",
// "Benchmark"), in their order, and the name of the file's package.
func Functions(filename string, source []byte, prefix string) (pkg string, names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), filename, source, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		rest, ok := strings.CutPrefix(f.Name.Name, prefix)
		// As in package testing: TestX and Test are tests, Testify and TestMain are not.
		if first, _ := utf8.DecodeRuneInString(rest); !ok || rest == "Main" || rest != "" && unicode.IsLower(first) {
			continue
		}
		names = append(names, f.Name.Name)
	}
	return file.Name.Name, names, nil
}
