package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// former returns the workbook and a workspace as an earlier checkalloc made it: each exercise is in the folder of its
// former number, with the reader's text and a test that imports the package.
func former(t *testing.T) (exercise.Catalog, *Workspace) {
	t.Helper()
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Init(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		if e.Formerly == "" {
			continue
		}
		dir := filepath.Join(w.Root, "exercises", e.Formerly)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, e.Edit[0]), "package "+e.Package+" // "+e.Title+"\n")
		write(t, filepath.Join(dir, "own_test.go"), `import "onthestack/exercises/`+e.Formerly+"\"\n")
		write(t, filepath.Join(dir, "notes.txt"), e.Title+"\n")
	}
	return catalog, w
}

// isRenumbered proves that each exercise's folder has what the reader wrote for it.
func isRenumbered(t *testing.T, w *Workspace, catalog exercise.Catalog) {
	t.Helper()
	for _, e := range catalog {
		files, err := w.Files(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if e.Formerly != "" && (!strings.Contains(string(files[e.Edit[0]]), e.Title) ||
			string(files["notes.txt"]) != e.Title+"\n" ||
			string(files["own_test.go"]) != `import "`+e.ImportPath()+"\"\n") {
			t.Errorf("%s has %q", e.ID, files)
		}
	}
	if w.Outdated(catalog) {
		t.Error("the workspace is still outdated")
	}
}

// TestRenumber tests that a workspace with the former numbers gets today's, whose names overlap with them, and that one
// with today's numbers stays as it is.
func TestRenumber(t *testing.T) {
	catalog, w := former(t)
	if !w.Outdated(catalog) {
		t.Fatal("the workspace does not count as outdated")
	}
	for range 2 {
		if _, err := Init(w.Root, catalog); err != nil {
			t.Fatal(err)
		}
		isRenumbered(t, w, catalog)
	}
	if w, err := Init(t.TempDir(), catalog); err != nil || w.Outdated(catalog) {
		t.Errorf("a new workspace counts as outdated, %v", err)
	}
}

// TestRenumberAgain tests that renaming goes on where it ended: at a folder that is in the way, or in the middle.
func TestRenumberAgain(t *testing.T) {
	catalog, w := former(t)
	dir := filepath.Join(w.Root, "exercises")
	inTheWay := filepath.Join(dir, "exercise40")
	if err := os.Mkdir(inTheWay, 0o755); err != nil {
		t.Fatal(err)
	}
	// The former exercise24 has begun its way to exercise3, whose number the former exercise3 still has.
	if err := os.Rename(filepath.Join(dir, "exercise24"), filepath.Join(dir, renumbering+"exercise3")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, renumbering+"exercise3", "own_test.go"), "import \"onthestack/exercises/exercise3\"\n")
	_, err := Init(w.Root, catalog)
	if err == nil || !strings.Contains(err.Error(), "exercises/exercise40 is in the way") || !w.Outdated(catalog) {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if _, err := Init(w.Root, catalog); err != nil {
		t.Fatal(err)
	}
	isRenumbered(t, w, catalog)
}
