package watch

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A folder is exercises/exercise6 with the watched file sum.go, in a temporary folder.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder {
	f := folder{t, filepath.Join(t.TempDir(), "exercises", "exercise6")}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	f.write("sum.go", "before\n")
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f folder) must(errs ...error) {
	f.t.Helper()
	if err := errors.Join(errs...); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) write(name, text string) {
	f.t.Helper()
	f.must(os.WriteFile(f.path(name), []byte(text), 0o666))
}

// A watched is a folder with a running fileWatcher.
type watched struct {
	files   *fileWatcher
	changes chan contents // the contents of the folder at each change
}

func (f folder) watch() *watched {
	w := &watched{changes: make(chan contents, 100)}
	w.files = &fileWatcher{dir: f.dir, names: []string{"sum.go"}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	w.files.seen = w.files.read()
	go func() {
		defer close(ended)
		for w.files.wait(ctx) {
			w.changes <- w.files.read()
		}
	}()
	f.t.Cleanup(func() {
		cancel()
		<-ended
	})
	time.Sleep(20 * time.Millisecond) // the test may change files before or after the watch begins; both must work
	return w
}

// settles waits until the present contents of the folder have been reported, and returns how many changes were
// reported.
func (w *watched) settles(t *testing.T) int {
	t.Helper()
	want := w.files.read()
	for n := 1; ; n++ {
		select {
		case got := <-w.changes:
			if maps.Equal(got, want) {
				return n
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("after %d changes, the last was not reported", n-1)
		}
	}
}

// stays proves that no change is reported.
func (w *watched) stays(t *testing.T) {
	t.Helper()
	select {
	case <-w.changes:
		t.Error("a change was reported")
	case <-time.After(200 * time.Millisecond):
	}
}

// TestSaves saves as editors do.
func TestSaves(t *testing.T) {
	for _, test := range []struct {
		name string
		save func(f folder)
		more bool // several changes may be reported, because there are pauses between the steps
	}{
		{"written in place", func(f folder) { f.write("sum.go", "after\n") }, false},
		{"same length", func(f folder) { f.write("sum.go", "AFTER!\n"[:7]) }, false},
		{"truncated and written in parts", func(f folder) {
			file, err := os.Create(f.path("sum.go"))
			f.must(err)
			for range 50 {
				_, err := file.WriteString("part of it\n")
				f.must(err)
			}
			f.must(file.Close())
		}, true},
		{"truncated, a pause, written", func(f folder) {
			file, err := os.Create(f.path("sum.go"))
			f.must(err)
			time.Sleep(60 * time.Millisecond)
			_, err = file.WriteString("after\n")
			f.must(err, file.Close())
		}, false},
		{"written beside and renamed", func(f folder) {
			f.write(".sum.go.tmp", "after\n")
			f.must(os.Rename(f.path(".sum.go.tmp"), f.path("sum.go")))
		}, false},
		{"Vim: the old one renamed, a new one written, the old one removed", func(f folder) {
			f.write("4913", "")
			f.must(os.Remove(f.path("4913")), os.Rename(f.path("sum.go"), f.path("sum.go~")))
			f.write("sum.go", "after\n")
			f.must(os.Chmod(f.path("sum.go"), 0o644), os.Remove(f.path("sum.go~")))
		}, false},
		{"Emacs: a lock, a backup, written in place", func(f folder) {
			f.must(os.Symlink("user@host.1234:5678", f.path(".#sum.go")))
			f.write("sum.go~", "before\n")
			f.write("sum.go", "after\n")
			f.must(os.Remove(f.path(".#sum.go")))
		}, false},
		{"removed, a pause, created", func(f folder) {
			f.must(os.Remove(f.path("sum.go")))
			time.Sleep(60 * time.Millisecond)
			f.write("sum.go", "after\n")
		}, false},
		{"a burst", func(f folder) {
			for i := range 40 {
				f.write("sum.go", strings.Repeat("after\n", i+1))
				time.Sleep(time.Millisecond)
			}
		}, true},
		{"removed", func(f folder) { f.must(os.Remove(f.path("sum.go"))) }, false},
		{"the folder replaced", func(f folder) {
			other := f.dir + ".new"
			f.must(os.Mkdir(other, 0o777), os.WriteFile(filepath.Join(other, "sum.go"), []byte("after\n"), 0o666))
			f.must(os.Rename(f.dir, f.dir+".old"), os.Rename(other, f.dir))
		}, false},
		{"the folder removed, a pause, created", func(f folder) {
			f.must(os.RemoveAll(f.dir))
			time.Sleep(60 * time.Millisecond)
			f.must(os.Mkdir(f.dir, 0o777))
			f.write("sum.go", "after\n")
		}, true},
		{"the folder and the one above removed", func(f folder) { f.must(os.RemoveAll(filepath.Dir(f.dir))) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			w := f.watch()
			test.save(f)
			if n := w.settles(t); n > 1 && !test.more {
				t.Errorf("%d changes were reported", n)
			}
			// The watch continues, also in another folder with this name.
			f.must(os.MkdirAll(f.dir, 0o777))
			f.write("sum.go", "later\n")
			if n := w.settles(t); n > 1 && !test.more {
				t.Errorf("%d changes were reported, one of them late", n)
			}
		})
	}
}

// TestNoChange proves that operations that keep the contents are no change.
func TestNoChange(t *testing.T) {
	for name, do := range map[string]func(f folder){
		"touched":          func(f folder) { f.must(os.Chtimes(f.path("sum.go"), time.Now(), time.Now())) },
		"mode":             func(f folder) { f.must(os.Chmod(f.path("sum.go"), 0o600)) },
		"written the same": func(f folder) { f.write("sum.go", "before\n") },
		"replaced the same": func(f folder) {
			f.write("new", "before\n")
			f.must(os.Rename(f.path("new"), f.path("sum.go")))
		},
		"another file":   func(f folder) { f.write("other.go", "package sum\n"); f.write(".sum.go.swp", "x") },
		"a backup":       func(f folder) { f.write("sum.go~", "before\n") },
		"another folder": func(f folder) { f.must(os.Mkdir(f.dir+"2", 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			w := f.watch()
			do(f)
			w.stays(t)
		})
	}
}

// TestLinks watches a file that is a symbolic link, or is in a folder that is one. A link that leads out of the folder
// is not followed.
func TestLinks(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	elsewhere := t.TempDir()
	real := folder{t, filepath.Join(elsewhere, "mine")}
	f.must(os.Mkdir(real.dir, 0o777))
	f.write("a.go", "one\n")
	f.write("b.go", "two\n")
	f.must(os.Remove(f.path("sum.go")), os.Symlink("a.go", f.path("sum.go")))
	w := f.watch()

	f.write("a.go", "written where the link leads\n")
	w.settles(t)
	f.must(os.Symlink("b.go", f.path("new")), os.Rename(f.path("new"), f.path("sum.go")))
	w.settles(t)
	f.write("b.go", "written where the new link leads\n")
	w.settles(t)
	f.write("a.go", "no longer\n")
	w.stays(t)
	real.write("sum.go", "elsewhere\n")
	f.must(os.Symlink(real.path("sum.go"), f.path("new")), os.Rename(f.path("new"), f.path("sum.go")))
	w.settles(t)
	real.write("sum.go", "elsewhere, where nobody looks\n")
	w.stays(t)

	linked := folder{t, filepath.Join(elsewhere, "exercise6")}
	f.must(os.Symlink(real.dir, linked.dir))
	real.write("sum.go", "by its folder\n")
	w = linked.watch()
	real.write("sum.go", "in the folder to which the link leads\n")
	w.settles(t)
}

// TestNoRegularFile proves that a folder or a pipe in place of the file counts as missing, without waiting for a
// writer.
func TestNoRegularFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	w := f.watch()
	f.must(os.Remove(f.path("sum.go")), os.Mkdir(f.path("sum.go"), 0o777))
	w.settles(t)
	if got := w.files.read(); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// TestRemember waits for a change to a Go file that a symbolic link has in another module.
func TestRemember(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	elsewhere := folder{t, t.TempDir()}
	elsewhere.write("a.go", "one\n")
	f.must(os.Symlink(elsewhere.path("a.go"), f.path("linked.go")))
	changed := Remember(f.dir, []string{"linked.go"})
	elsewhere.write("a.go", "two\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if !changed(ctx) {
		t.Error("the change was not seen")
	}
}
