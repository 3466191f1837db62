package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/exercise"
)

// solved returns a workspace of one exercise with two files of the reader.
func solved(t *testing.T) (*Workspace, *exercise.Exercise, string) {
	t.Helper()
	e := &exercise.Exercise{ID: "exercise6", Files: map[string][]byte{"a.go": []byte("package a\n"),
		"a_test.go": []byte("package a_test\n")}}
	w, err := Init(t.TempDir(), exercise.Catalog{e})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(w.Root, "exercises", e.ID)
	write(t, filepath.Join(dir, "a.go"), "package a // mine\n")
	write(t, filepath.Join(dir, "notes.txt"), "mine\n")
	return w, e, dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// holds proves that a folder has exactly these files, each as "NAME: TEXT".
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry.Name()+": "+strings.TrimSpace(string(text)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", filepath.Base(dir), got, want)
	}
}

// TestResetTwice resets twice in the same millisecond. Each reset has its own backup.
func TestResetTwice(t *testing.T) {
	w, e, dir := solved(t)
	now := time.Now()
	mine := now.Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(dir, "a.go"), mine, mine); err != nil {
		t.Fatal(err)
	}
	first, err := w.Reset(e, now)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.go: package a", "a_test.go: package a_test")
	holds(t, filepath.Join(w.Root, first), "a.go: package a // mine", "notes.txt: mine")
	if info, err := os.Stat(filepath.Join(w.Root, first, "a.go")); err != nil || !info.ModTime().Equal(mine) {
		t.Errorf("the backup has %v, %v; want %v", info.ModTime(), err, mine)
	}
	if again, err := w.Reset(e, now); err != nil || again != "" {
		t.Errorf("although nothing was changed, the backup is %q, %v", again, err)
	}
	write(t, filepath.Join(dir, "a.go"), "package a // more\n")
	second, err := w.Reset(e, now)
	if err != nil || second == first {
		t.Fatalf("%q after %q, %v", second, first, err)
	}
	holds(t, filepath.Join(w.Root, first), "a.go: package a // mine", "notes.txt: mine")
	holds(t, filepath.Join(w.Root, second), "a.go: package a // more")
	holds(t, dir, "a.go: package a", "a_test.go: package a_test")
}

// TestResetDeleted proves that all of a deleted folder comes back, in the clone with the manifest.
func TestResetDeleted(t *testing.T) {
	for _, clone := range []bool{false, true} {
		w, e, dir := solved(t)
		e.ManifestText = []byte("title = \"A\"\n")
		want := []string{"a.go: package a", "a_test.go: package a_test"}
		if clone {
			want = append(want, "exercise.toml: title = \"A\"")
			if err := os.MkdirAll(filepath.Join(w.Root, "internal", "exercise"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if backup, err := w.Reset(e, time.Now()); err != nil || backup != "" {
			t.Fatalf("clone %v: backup %q, error %v", clone, backup, err)
		}
		holds(t, dir, want...)
	}
}

// TestResetCannot proves that nothing is changed if the backup cannot be made.
func TestResetCannot(t *testing.T) {
	for _, block := range []string{stateDir, filepath.Join(stateDir, "backup")} {
		w, e, dir := solved(t)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.Root, block)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.Root, block), "no folder\n")
		backup, err := w.Reset(e, time.Now())
		if err == nil || backup != "" || !strings.HasPrefix(err.Error(), "make the backup: ") ||
			!strings.HasSuffix(err.Error(), "; nothing was changed") {
			t.Errorf("%q, %v", backup, err)
		}
		holds(t, dir, "a.go: package a // mine", "a_test.go: package a_test", "notes.txt: mine")
	}
}

// TestResetStarterCannot proves that the reader's files stay if a pristine file cannot be written, and that no backup
// is left.
func TestResetStarterCannot(t *testing.T) {
	w, e, dir := solved(t)
	e.Files["no/such/folder.go"] = nil
	backup, err := w.Reset(e, time.Now())
	if err == nil || backup != "" || !strings.HasSuffix(err.Error(), "; nothing was changed") {
		t.Errorf("%q, %v", backup, err)
	}
	holds(t, dir, "a.go: package a // mine", "a_test.go: package a_test", "notes.txt: mine")
	holds(t, filepath.Join(w.Root, stateDir, "backup"))
}
