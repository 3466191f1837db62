package harness

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A UserPackage is a package of any module whose benchmarks are measured in its own folder. Its files are given by base
// name.
type UserPackage struct {
	Name   string            // the name in its package clauses
	Files  map[string][]byte // all files that are built, tests included
	Tests  []string          // its test files
	XTests []string          // its files of the external test package
	// Hooked is true if the program is linked with the package testing of EditStandard, which tells what benchmarks do.
	// Otherwise calls of b.Run, of timers and the like are found by name in the package's files, and rewritten.
	Hooked bool
}

// Oldest is the oldest Go release that builds the program that measures a UserPackage.
const Oldest = "go1.21"

// OverlayTests is a pattern for -test.run that selects the tests that Overlay adds, and no others.
const OverlayTests = "^TestZZCheckalloc(External)?$"

// The files that Overlay adds.
const (
	internalTest = "zz_checkalloc_internal_test.go"
	externalTest = "zz_checkalloc_external_test.go"
)

// Added reports whether Overlay adds a file with that base name.
func Added(file string) bool { return file == internalTest || file == externalTest }

// OverlayPackages returns the sources of the packages that measure a UserPackage, "wire/wire.go" and so on, for a
// folder with the given import path.
func OverlayPackages(base string) (map[string][]byte, error) {
	// Only package step, the program of an exercise, or the checker needs these.
	files, err := packages("", base, "recorder", "recording.go", "testmain.go", "confirm.go", "deps.go", "once.go",
		"parse.go")
	for name, text := range files {
		// This constraint sets the language version of the file to that release, even in a module with an older one.
		constraint := "//go:build " + Oldest
		if rest, found := bytes.CutPrefix(text, []byte("//go:build ")); found {
			files[name] = append([]byte(constraint+" && "), rest...)
		} else {
			files[name] = append([]byte(constraint+"\n\n"), text...)
		}
	}
	return files, err
}

// Overlay returns the files, by base name, that replace files of the package or are added to it to measure its
// benchmarks. They import the packages of OverlayPackages, which are below the import path base. If base is ImportPath,
// they import the compiled packages instead. It also returns the names of the benchmark functions; if there are none,
// it returns no files. Code stays on its line. A file that does not parse is not changed.
func (u UserPackage) Overlay(base string) (overlay map[string][]byte, benchmarks []string) {
	overlay = map[string][]byte{}
	var here, external []string
	var internal, outside bool // which test packages have rewritten calls
	for _, name := range slices.Sorted(maps.Keys(u.Files)) {
		text := u.Files[name]
		if !bytes.Contains(text, []byte("testing")) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", text, 0)
		if err != nil {
			continue
		}
		xtest := slices.Contains(u.XTests, name)
		if !u.Hooked {
			r := &rewriter{fset: fset, prefix: overlayPrefix, subs: true}
			if rewritten, changed := rewrite(r, file, text); changed {
				overlay[name] = rewritten
				internal, outside = internal || !xtest, outside || xtest
			}
		}
		switch {
		case xtest:
			external = append(external, Functions(file, "Benchmark")...)
		case slices.Contains(u.Tests, name):
			here = append(here, Functions(file, "Benchmark")...)
		}
	}
	if len(here)+len(external) == 0 {
		return nil, nil
	}
	if internal || len(here) > 0 {
		overlay[internalTest] = u.testFile(u.Name, base, "TestZZCheckalloc", here, len(external) == 0)
	}
	if outside || len(external) > 0 {
		overlay[externalTest] = u.testFile(u.Name+"_test", base, "TestZZCheckallocExternal", external,
			len(external) > 0)
	}
	return overlay, append(here, external...)
}

// overlayPrefix begins the names of the functions that replace methods of a benchmark. Each test package declares its
// own.
const overlayPrefix = "zzCheckalloc"

const (
	zzSub   = overlayPrefix + "Sub"
	zzSubOf = overlayPrefix + "Of"
	zzName  = overlayPrefix + "Name"
	zzSkip  = overlayPrefix + "Skip"
	zzSkipf = overlayPrefix + "Skipf"
)

var original = func() *strings.Replacer {
	names := []string{zzSub, "(*testing.B).Run", zzSubOf, "(*testing.B).Run", zzName, "(*testing.B).Name",
		zzSkipf, "(*testing.B).Skipf", zzSkip, "(*testing.B).Skip"}
	for _, timer := range timers {
		names = append(names, overlayPrefix+timer.tells, "(*testing.B)."+timer.method)
	}
	return strings.NewReplacer(names...)
}()

// Original replaces, in a message of the compiler, the name of each of these functions with the name of the method that
// it stands for.
func Original(text string) string {
	if !strings.Contains(text, overlayPrefix) {
		return text
	}
	return original.Replace(text)
}

// testFile returns a file with a test that measures the benchmarks of one test package, and with the functions that
// replace methods of benchmarks if calls are rewritten. It imports packages by names that no declaration of the package has.
func (u UserPackage) testFile(pkg, base, test string, benchmarks []string, last bool) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if base != ImportPath { // packages are compiled for modules of the release's own language only
		line("//go:build %s\n", Oldest)
	}
	line("package %s\n", pkg)
	line("import (\n\tzzregexp \"regexp\"\n\tzztesting \"testing\"\n\n\tzzcheckalloc %q\n)\n", base+"/testmain")
	if len(benchmarks) > 0 {
		line("func %s(*zztesting.T) {", test)
		line("\tzzcheckalloc.Explore(zzregexp.MatchString, []zztesting.InternalBenchmark{")
		for _, name := range benchmarks {
			line("\t\t{Name: %q, F: %s},", name, name)
		}
		line("\t}, %v)\n}\n", last)
	} else {
		line("var _ = zzregexp.MatchString\n")
	}
	if u.Hooked {
		return b.Bytes()
	}
	// The functions are not inlined, so that the compiler's diagnostics on their arguments are the same as on the
	// arguments of b.Run; see Original.
	line("//go:noinline")
	line("func %s(b *zztesting.B, name string, f func(*zztesting.B)) bool {", zzSub)
	line("\treturn zzcheckalloc.Sub(b, name, f)\n}\n")
	line("//go:noinline")
	line("func %s(b *zztesting.B) func(string, func(*zztesting.B)) bool { return zzcheckalloc.SubOf(b) }\n", zzSubOf)
	line("func %s(b *zztesting.B) string { return zzcheckalloc.Name(b) }", zzName)
	line("//go:noinline")
	line("func %s(b *zztesting.B, args ...any) {", zzSkip)
	line("\tb.Helper()\n\tzzcheckalloc.Skipping(args...)\n\tb.Skip(args...)\n}\n")
	line("//go:noinline")
	line("func %s(b *zztesting.B, format string, args ...any) {", zzSkipf)
	line("\tb.Helper()\n\tzzcheckalloc.Skippingf(format, args...)\n\tb.Skipf(format, args...)\n}\n")
	writeTimerCalls(&b, overlayPrefix, "zzcheckalloc")
	return b.Bytes()
}
