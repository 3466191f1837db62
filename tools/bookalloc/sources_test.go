package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/gocommand"
	"onthestack/internal/resultcache"
	"onthestack/tools/bookalloc/measure"
)

// repository is the root of this repository.
var repository = filepath.Join("..", "..")

// TestKeys proves that the results and the targets that are computed again after a change depend on the code that
// computes them, and not on the commands for packages of the user. A word that changes in package suggest checks and
// measures nothing again, and builds neither book nor engine.
func TestKeys(t *testing.T) {
	keyed := func(packages ...string) func() ([]string, error) {
		return func() ([]string, error) { return gocommand.Sources(repository, nil, packages...) }
	}
	target := func(name string) func() ([]string, error) {
		return func() ([]string, error) { return sources(repository, name) }
	}
	const judge = "internal/verdict/check.go internal/why/why.go internal/harness/testmain/measure.go " +
		"internal/escape/escape.go"
	for _, c := range []struct {
		name string
		list func() ([]string, error)
		want string // files that are in the list
	}{
		{"verdicts", keyed(resultcache.VerdictCode()...), judge + " internal/build/toolchain.go internal/sandbox/wasm.go " +
			"internal/sandbox/jail/jail.go internal/resultcache/verdicts.go"},
		{"measurements", keyed(measure.Code), judge + " tools/bookalloc/measure/measure.go internal/step/measure.go " +
			"internal/harness/recorder/recorder.go tools/bookalloc/measure/release.go internal/build/releases.go"},
		{"book", target("book"), judge + " tools/bookalloc/expand/expand.go internal/exercise/sealed.tar " +
			"go.mod go.sum"},
		{"engine", target("engine"), judge + " tools/engine/trim.go tools/engine/page/main.go " +
			"internal/programs/playground.go internal/harness/testmain/channel_wasm.go go.mod go.sum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, err := c.list()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(c.want) {
				if !slices.Contains(names, name) {
					t.Errorf("a change of %s computes nothing again", name)
				}
			}
			for _, name := range names {
				for _, other := range []string{"internal/owncode", "internal/present/html",
					"runner", "tools/checkalloc", "testdata"} {
					if strings.HasPrefix(name, other+"/") || strings.Contains(name, "/testdata/") {
						t.Errorf("a change of %s computes all again", name)
					}
				}
				if strings.HasSuffix(name, "_test.go") {
					t.Errorf("a change of the test %s computes all again", name)
				}
			}
		})
	}
}

// TestUpdateSources proves that a list is written if and only if it changes.
func TestUpdateSources(t *testing.T) {
	dir := t.TempDir()
	lay := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.sum", "tools/bookalloc/README"} {
		lay(name, "")
	}
	lay("go.mod", "module m\n\ngo 1.26\n")
	lay("tools/bookalloc/main.go", "package main\n\nimport _ \"m/imported\"\n\nfunc main() {}\n")
	lay("imported/a.go", "package imported\n")
	lay("other/a.go", "package other\n")
	list := func() string {
		t.Helper()
		if err := updateSources(dir, "book"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, ".cache", "book.sources"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	was := list()
	for _, c := range []struct {
		name, file, text string
		changes          bool
	}{
		{"nothing", "other/b.go", "package other\n", false},
		{"what is not imported", "other/a.go", "package other // b\n", false},
		{"a test", "tools/bookalloc/a_test.go", "package main\n", false},
		{"what is imported", "imported/a.go", "package imported // b\n", true},
		{"a file more", "imported/b.go", "package imported\n", true},
		{"a library", "go.sum", "example.org/x v1.0.0 h1:x\n", true},
	} {
		lay(c.file, c.text)
		is := list()
		if (is != was) != c.changes {
			t.Errorf("%s: the list was\n%sand is\n%s", c.name, was, is)
		}
		was = is
	}
}
