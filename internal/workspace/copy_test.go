package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
)

// copied returns a workspace of one exercise with two files that are to be edited, and the folder of the exercise.
func copied(t *testing.T) (*Workspace, *exercise.Exercise, string) {
	t.Helper()
	e := &exercise.Exercise{ID: "exercise6", Files: map[string][]byte{
		"a.go": []byte("package a\n"), "b.go": []byte("package a // b\n"), "a_test.go": []byte("package a_test\n")}}
	e.Edit = []string{"a.go", "b.go"}
	w, err := Init(t.TempDir(), exercise.Catalog{e})
	if err != nil {
		t.Fatal(err)
	}
	return w, e, filepath.Join(w.Root, "exercises", e.ID)
}

func readCopy(t *testing.T, w *Workspace, e *exercise.Exercise) Copy {
	t.Helper()
	c, err := w.ReadCopy(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// texts are the two files.
func texts(a, b string) map[string]string { return map[string]string{"a.go": a, "b.go": b} }

// TestWriteCopy writes over files in several states, and reads them again.
func TestWriteCopy(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(t *testing.T, dir string)
		a, b   string // what is written
		want   []string
	}{
		{name: "one file", a: "package a // mine\n", b: "package a // b\n",
			want: []string{"a.go: package a // mine", "a_test.go: package a_test", "b.go: package a // b"}},
		{name: "line endings stay",
			before: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a.go"), "package a\r\n\r\n// one\r\n") },
			a:      "package a\n\n// two\n", b: "package a // c\n",
			want: []string{"a.go: package a\r\n\r\n// two", "a_test.go: package a_test", "b.go: package a // c"}},
		{name: "the same text leaves its bytes alone",
			before: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a.go"), "package a\r\n// one\n") },
			a:      "package a\n// one\n", b: "package a // c\n",
			want: []string{"a.go: package a\r\n// one", "a_test.go: package a_test", "b.go: package a // c"}},
		{name: "a missing file is made",
			before: func(t *testing.T, dir string) {
				if err := os.Remove(filepath.Join(dir, "b.go")); err != nil {
					t.Fatal(err)
				}
			},
			a: "package a\n", b: "package a // mine\n",
			want: []string{"a.go: package a", "a_test.go: package a_test", "b.go: package a // mine"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, e, dir := copied(t)
			if test.before != nil {
				test.before(t, dir)
			}
			c, err := w.WriteCopy(e, texts(test.a, test.b), readCopy(t, w, e).Version, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			holds(t, dir, test.want...)
			again := readCopy(t, w, e)
			if again.Version != c.Version || again.Files["a.go"] != test.a || again.Files["b.go"] != test.b {
				t.Errorf("wrote %+v, read %+v", c, again)
			}
		})
	}
}

// TestWriteCopyChanged proves that a text that the writer does not know stays, and is returned.
func TestWriteCopyChanged(t *testing.T) {
	w, e, dir := copied(t)
	version := readCopy(t, w, e).Version
	write(t, filepath.Join(dir, "b.go"), "package a // theirs\n")
	c, err := w.WriteCopy(e, texts("package a // mine\n", "package a // mine\n"), version, time.Now())
	if !errors.Is(err, ErrChanged) || c.Files["b.go"] != "package a // theirs\n" {
		t.Errorf("%+v, %v", c, err)
	}
	holds(t, dir, "a.go: package a", "a_test.go: package a_test", "b.go: package a // theirs")
}

// TestWriteCopyAtOnce writes several texts at the same time: one is written, and the others are told.
func TestWriteCopyAtOnce(t *testing.T) {
	w, e, _ := copied(t)
	version := readCopy(t, w, e).Version
	const writers = 8
	var group sync.WaitGroup
	var failed [writers]error
	for i := range failed {
		group.Go(func() {
			text := "package a // " + strings.Repeat("x", i+1) + "\n"
			_, failed[i] = w.WriteCopy(e, texts(text, text), version, time.Now())
		})
	}
	group.Wait()
	written := 0
	for _, err := range failed {
		if err == nil {
			written++
		} else if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	}
	if c := readCopy(t, w, e); written != 1 || c.Files["a.go"] != c.Files["b.go"] {
		t.Errorf("%d were written: %+v", written, c)
	}
}

// TestWriteCopyStarter proves that the starter does not replace other code without a backup.
func TestWriteCopyStarter(t *testing.T) {
	w, e, dir := copied(t)
	write(t, filepath.Join(dir, "a.go"), "package a // mine\n")
	starter := texts("package a\n", "package a // b\n")
	if _, err := w.WriteCopy(e, starter, readCopy(t, w, e).Version, time.Now()); err != nil {
		t.Fatal(err)
	}
	backups := filepath.Join(w.Root, stateDir, "backup")
	entries, err := os.ReadDir(backups)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	holds(t, filepath.Join(backups, entries[0].Name()), "a.go: package a // mine")
	holds(t, dir, "a.go: package a", "a_test.go: package a_test", "b.go: package a // b")
}

// TestWriteCopyMode proves that permissions stay.
func TestWriteCopyMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	w, e, dir := copied(t)
	name := filepath.Join(dir, "a.go")
	for mode, want := range map[fs.FileMode]string{0o600: "", 0o664: "", 0o444: "exercises/exercise6/a.go is read-only"} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		text := "package a // " + mode.String() + "\n"
		_, err := w.WriteCopy(e, texts(text, "package a // b\n"), readCopy(t, w, e).Version, time.Now())
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%v: %v, want %q", mode, err, want)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// TestCopyRefused tests what is neither read nor written.
func TestCopyRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	for name, test := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"a link that leads out": {func(dir string) error { return link(filepath.Join(dir, "..", "..", "go.mod"), dir, "a.go") },
			"exercises/exercise6/a.go is a symbolic link"},
		"a link in the folder": {func(dir string) error { return link("b.go", dir, "a.go") },
			"exercises/exercise6/a.go is a symbolic link"},
		"a folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "a.go")), os.Mkdir(filepath.Join(dir, "a.go"), 0o777))
		}, "exercises/exercise6/a.go is a folder"},
		"no text": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.go"), []byte("\xff"), 0o666) },
			"exercises/exercise6/a.go is not UTF-8"},
		"a large file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.go"), make([]byte, maxFileSize+1), 0o666)
		}, "exercises/exercise6/a.go has more than"},
		"the folder is a link": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.Symlink(dir+"-moved", dir))
		}, "exercises/exercise6 is a symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			w, e, dir := copied(t)
			version := readCopy(t, w, e).Version
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			_, read := w.ReadCopy(e)
			_, written := w.WriteCopy(e, texts("x\n", "y\n"), version, time.Now())
			for _, err := range []error{read, written} {
				var refused *safefile.Refused
				if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("%v, want %s", err, test.want)
				}
			}
		})
	}
	w, e, dir := copied(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadCopy(e); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
	if _, err := w.WriteCopy(e, texts("x\n", "y\n"), "", time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
}

// link puts a symbolic link in place of a file in dir.
func link(to, dir, name string) error {
	name = filepath.Join(dir, name)
	return errors.Join(os.Remove(name), os.Symlink(to, name))
}
