package harness

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A UserPackage is a package of a module that is not ours, to be measured where it lies. Its files are given by base name.
type UserPackage struct {
	Name   string            // the package's, as its files say
	Files  map[string][]byte // all that are built, tests included
	Tests  []string          // the files of its tests
	XTests []string          // and of those in the external test package
}

// Oldest is the oldest Go release that builds what measures a package in place.
const Oldest = "go1.21"

// OverlayTests is a pattern for -test.run that selects the tests that Overlay adds, and no others.
const OverlayTests = "^TestZZCheckalloc(External)?$"

// The files that Overlay adds.
const (
	internalTest = "zz_checkalloc_internal_test.go"
	externalTest = "zz_checkalloc_external_test.go"
)

// Added reports whether a file of the package with that base name is one that Overlay adds.
func Added(file string) bool { return file == internalTest || file == externalTest }

// harnessImport is the import path of the harness's packages in their own source.
const harnessImport = "onthestack/internal/harness"

// OverlayPackages returns the sources of the packages that measure a package in place, "wire/wire.go" and so on, for a folder
// with the given import path.
func OverlayPackages(base string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		switch path.Base(name) {
		// what only an exercise's program or the checker needs
		case "testmain.go", "confirm.go", "deps.go", "channel_wasm.go", "parse.go":
			return nil
		}
		text, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		// With this line the source is in the language of that release, also in a module of an older one.
		constraint := "//go:build " + Oldest
		if rest, found := bytes.CutPrefix(text, []byte("//go:build ")); found {
			text = append([]byte(constraint+" && "), rest...)
		} else {
			text = append([]byte(constraint+"\n\n"), text...)
		}
		files[name] = bytes.ReplaceAll(text, []byte(`"`+harnessImport+`/`), []byte(`"`+base+`/`))
		return nil
	})
	return files, err
}

// Overlay returns the files, by base name, that are to take the place of the package's or be added to it, for its benchmarks to be
// measured by the packages of OverlayPackages; and the names of its benchmark functions, none where there is nothing to measure.
// Each line keeps its number. A file that does not parse is left as it is.
func (u UserPackage) Overlay(base string) (overlay map[string][]byte, benchmarks []string) {
	overlay = map[string][]byte{}
	var here, external []string
	var internal, outside bool // which test packages need the functions that rewritten calls call
	for _, name := range slices.Sorted(maps.Keys(u.Files)) {
		text := u.Files[name]
		if !bytes.Contains(text, []byte("testing")) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		xtest := slices.Contains(u.XTests, name)
		if rewritten, changed := rewrite(&rewriter{fset: fset, prefix: overlayPrefix, subs: true}, file, text); changed {
			overlay[name] = rewritten
			internal, outside = internal || !xtest, outside || xtest
		}
		switch {
		case xtest:
			external = append(external, benchmarkFunctions(file)...)
		case slices.Contains(u.Tests, name):
			here = append(here, benchmarkFunctions(file)...)
		}
	}
	if len(here)+len(external) == 0 {
		return nil, nil
	}
	if internal || len(here) > 0 {
		overlay[internalTest] = testFile(u.Name, base, "TestZZCheckalloc", here, len(external) == 0)
	}
	if outside || len(external) > 0 {
		overlay[externalTest] = testFile(u.Name+"_test", base, "TestZZCheckallocExternal", external, len(external) > 0)
	}
	return overlay, append(here, external...)
}

// benchmarkFunctions are the names of the functions that "go test -bench" runs, in their order.
func benchmarkFunctions(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && IsTest(f.Name.Name, "Benchmark") {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// overlayPrefix begins the names of the functions that rewritten calls call. Each test package has its own.
const overlayPrefix = "zzCheckalloc"

const (
	zzSub   = overlayPrefix + "Sub"
	zzSubOf = overlayPrefix + "Of"
	zzName  = overlayPrefix + "Name"
)

var original = func() *strings.Replacer {
	names := []string{zzSub, "(*testing.B).Run", zzSubOf, "(*testing.B).Run", zzName, "(*testing.B).Name"}
	for _, timer := range timers {
		names = append(names, overlayPrefix+timer.tells, "(*testing.B)."+timer.method)
	}
	return strings.NewReplacer(names...)
}()

// Original puts the methods that a benchmark calls in the place of the functions that Overlay makes it call, in a text
// of the compiler's.
func Original(text string) string {
	if !strings.Contains(text, overlayPrefix) {
		return text
	}
	return original.Replace(text)
}

// testFile is the source of a file with the test that measures the benchmarks of one test package. Its imports have
// names that no declaration of the package's has.
func testFile(pkg, base, test string, benchmarks []string, last bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build %s\n\npackage %s\n\nimport (\n\tzzregexp \"regexp\"\n\tzztesting \"testing\"\n\n"+
		"\tzzcheckalloc %q\n)\n\n", Oldest, pkg, base+"/testmain")
	if len(benchmarks) > 0 {
		fmt.Fprintf(&b,
			"func %s(*zztesting.T) {\n\tzzcheckalloc.Explore(zzregexp.MatchString, []zztesting.InternalBenchmark{\n", test)
		for _, name := range benchmarks {
			fmt.Fprintf(&b, "\t\t{Name: %q, F: %s},\n", name, name)
		}
		fmt.Fprintf(&b, "\t}, %v)\n}\n\n", last)
	} else {
		b.WriteString("var _ = zzregexp.MatchString\n\n")
	}
	// Not inlined, for the compiler to say of what is passed to it what it says of b.Run; see Original.
	fmt.Fprintf(&b, "//go:noinline\nfunc %s(b *zztesting.B, name string, f func(*zztesting.B)) bool { return "+
		"zzcheckalloc.Sub(b, name, f) }\n", zzSub)
	fmt.Fprintf(&b, "//go:noinline\nfunc %s(b *zztesting.B) func(string, func(*zztesting.B)) bool { return "+
		"zzcheckalloc.SubOf(b) }\n", zzSubOf)
	fmt.Fprintf(&b, "func %s(b *zztesting.B) string { return zzcheckalloc.Name(b) }\n", zzName)
	writeTimerCalls(&b, overlayPrefix, "zzcheckalloc")
	return b.Bytes()
}
