package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/expand"
)

// TestCompanions tests that the files that pages fetch are written beside the widgets, and are not written again if
// they have not changed.
func TestCompanions(t *testing.T) {
	src := t.TempDir()
	book := &expand.Book{Dir: "book", Files: os.DirFS(src), Catalog: sealed(t)}
	if err := writeCompanions(book, src); err != nil {
		t.Fatal(err)
	}
	if made, _ := os.ReadDir(src); len(made) > 0 {
		t.Errorf("a book without widgets got %v", made)
	}
	if err := os.Mkdir(filepath.Join(src, "widgets"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeCompanions(book, src); err != nil {
		t.Fatal(err)
	}
	read := func(name string) (file struct{ Files map[string]string }) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(src, expand.CompanionsDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	e := book.Catalog.Lookup("exercise6")
	tests, solution := read("exercise6.tests.json"), read("exercise6.solution.json")
	if got, want := tests.Files["grow_test.go"], string(e.Files["grow_test.go"]); got != want || len(tests.Files) != 1 {
		t.Errorf("input exercise6.tests.json\n  got  %q\n  want grow_test.go alone, %q", tests.Files, want)
	}
	if got, want := solution.Files["grow.go"], string(e.Solution["grow.go"]); got != want || len(solution.Files) != 1 {
		t.Errorf("input exercise6.solution.json\n  got  %q\n  want grow.go alone, %q", solution.Files, want)
	}

	name := filepath.Join(src, expand.CompanionsDir, "exercise6.tests.json")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
	if err := writeCompanions(book, src); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("written again at %v, %v; want it left as it was at %v", info.ModTime(), err, long)
	}
}

// sealed returns the catalog of the fixture's sealed exercises.
func sealed(t *testing.T) exercise.Catalog {
	t.Helper()
	archives := map[string][]byte{}
	for _, name := range []string{"exercise6.txtar", "exercise7.txtar"} {
		text, err := os.ReadFile(filepath.Join("testdata", "sealed", name))
		if err != nil {
			t.Fatal(err)
		}
		archives[name] = text
	}
	packed, err := exercise.Pack(archives)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := exercise.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}
