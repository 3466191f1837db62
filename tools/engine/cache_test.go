package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// aCache returns a partBuilder with an empty cache.
func aCache(t *testing.T) *partBuilder {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c, unlock, err := openCache(t.Context(), repository, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	return &partBuilder{cache: c, out: &bytes.Buffer{}}
}

// compressions is how often w has compressed a part.
func (w *partBuilder) compressions() int {
	return strings.Count(w.out.(*bytes.Buffer).String(), "compressed in")
}

// aPart returns a part with the given text.
func aPart(name, text string) *part {
	return content(name, name+".wasm", []byte(strings.Repeat(text, 1000)))
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestKept(t *testing.T) {
	w := aCache(t)
	build := func(text string, want int) string {
		t.Helper()
		files, err := w.buildAll(t.Context(), []*part{aPart("one", text)})
		if err != nil {
			t.Fatal(err)
		}
		if made := w.compressions(); made != want {
			t.Errorf("compressed %d times, want %d", made, want)
		}
		return files["one"]
	}
	file := build("some text", 1)
	if want := filepath.Base(file) + " " + filepath.Base(file) + ".br " + filepath.Base(file) +
		".gz"; names(t, filepath.Dir(file)) != want {
		t.Errorf("kept are %s, want %s", names(t, filepath.Dir(file)), want)
	}
	build("some text", 1)

	// A damaged part is compressed again.
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	build("some text", 2)
	if err := os.Remove(file + ".br"); err != nil {
		t.Fatal(err)
	}
	build("some text", 3)
	if another := build("another text", 4); filepath.Base(another) == filepath.Base(file) {
		t.Errorf("another content is %s too", another)
	}
	build("some text", 4)
	if left := names(t, w.cache.dir); strings.Contains(left, makingPrefix) {
		t.Errorf("left in the cache: %s", left)
	}
}

// TestQuick builds quickly, then without -quick, and quickly again, which uses the tightly compressed part.
func TestQuick(t *testing.T) {
	w := aCache(t)
	one := aPart("one", "some text, now and then another one; ")
	size := func(quick bool) int64 {
		t.Helper()
		w.cache.quick = quick
		files, err := w.buildAll(t.Context(), []*part{one})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(files["one"] + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	quickly, well := size(true), size(false)
	if well >= quickly {
		t.Errorf("compressed well it is %d bytes, quickly %d", well, quickly)
	}
	if again := size(true); again != well || w.compressions() != 2 {
		t.Errorf("a quick build after one that compressed well has %d bytes, want its %d; compressed %d times", again,
			well, w.compressions())
	}
}

// TestKeptNot tests that nothing is cached if a build fails at any step.
func TestKeptNot(t *testing.T) {
	w := aCache(t)
	one, two := aPart("one", "some text"), aPart("two", "a text")
	broken := errors.New("the disk is full")
	two.make = func(context.Context, string) error { return broken }
	if _, err := w.buildAll(t.Context(), []*part{one, two}); !errors.Is(err, broken) ||
		!strings.Contains(err.Error(), "two.wasm") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	two.make = func(ctx context.Context, file string) error {
		cancel()
		return os.WriteFile(file, []byte(strings.Repeat("a text", 1000)), 0o644)
	}
	if _, err := w.buildAll(ctx, []*part{two}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	w.cache.script = filepath.Join(t.TempDir(), "compress.mjs")
	if err := os.WriteFile(w.cache.script, []byte("throw new Error('no room')"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.buildAll(t.Context(), []*part{two}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("error %v", err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if _, err := w.buildAll(t.Context(), []*part{two}); err == nil || !strings.Contains(err.Error(),
		"install Node.js") {
		t.Errorf("error %v", err)
	}
	if got := names(t, w.cache.dir); strings.Contains(got, "two-") || strings.Contains(got, makingPrefix) {
		t.Errorf("left in the cache: %s", got)
	}
	t.Setenv("PATH", path)
	w = aCache(t)
	if _, err := w.buildAll(t.Context(), []*part{one}); err != nil || w.compressions() != 1 {
		t.Errorf("compressed %d times, %v", w.compressions(), err)
	}
}

func TestSweep(t *testing.T) {
	w := aCache(t)
	for i, name := range []string{"making-1", "making-2", "page-0", "page-1", "page-2", "page-3", "page-4",
		"page-5", "std-0"} {
		dir := filepath.Join(w.cache.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(dir, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.cache.sweep(); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, w.cache.dir), "lock page-2 page-3 page-4 page-5 std-0"; got != want {
		t.Errorf("kept are %s, want %s", got, want)
	}
}

// TestTogether runs builds with different parts into the same folder at the same time. The folder is complete at any
// moment.
func TestTogether(t *testing.T) {
	w := aCache(t)
	dir := filepath.Join(t.TempDir(), "engine")
	var builds sync.WaitGroup
	for i := range 6 {
		builds.Go(func() {
			c, unlock, err := openCache(t.Context(), repository, false)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			w := &partBuilder{cache: c, out: &bytes.Buffer{}}
			one, two := aPart("one", "some text"), aPart("two", strings.Repeat("text ", i%3+1))
			files, err := w.buildAll(t.Context(), []*part{one, two})
			if err == nil {
				err = new(manifest{Schema: schema}).write(dir, files)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	builds.Wait()
	m := readManifest(t, dir)
	for _, p := range m.Parts {
		for _, suffix := range append(copies, "") {
			if _, err := os.Stat(filepath.Join(dir, p.File+suffix)); err != nil {
				t.Error(err)
			}
		}
	}
	if got := names(t, filepath.Dir(dir)); got != "engine" {
		t.Errorf("left beside the folder: %s", got)
	}
	if got := names(t, w.cache.dir); strings.Contains(got, makingPrefix) || strings.Count(got, "-") != 4 {
		t.Errorf("the cache holds %s", got)
	}
}

func TestReplaceable(t *testing.T) {
	dir := t.TempDir()
	if err := replaceable(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := replaceable(filepath.Join(dir, "none")); err != nil {
		t.Errorf("no folder: %v", err)
	}
	file := filepath.Join(dir, manifestFile)
	for _, text := range []string{"", "{}", `{"schema":"another"}`} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := replaceable(dir); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), dir) {
			t.Errorf("a folder with a manifest %q: %v", text, err)
		}
	}
	if err := replaceable(file); err == nil {
		t.Error("a file can be replaced")
	}
	if err := os.WriteFile(file, []byte(`{"schema":"`+schema+`"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceable(dir); err != nil {
		t.Errorf("an engine's folder: %v", err)
	}
}
