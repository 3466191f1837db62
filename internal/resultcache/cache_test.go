package resultcache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

type answer struct {
	Text   string
	Figure float64
}

const goMod = "module m\n\ngo 1.26\n"

// lay writes the code of a module.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, dir, root string) *Cache {
	t.Helper()
	s, err := Open(dir, root, "./code")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGet proves that a result is computed again if and only if something that it depends on has changed.
func TestGet(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	lay(t, root, map[string]string{
		"go.mod": goMod, "go.sum": "", "other/b.go": "package other\n",
		"code/a.go": "package code\n\nimport (\n\t\"embed\"\n\n\t_ \"m/imported\"\n)\n\n//go:embed text\n" +
			"var files embed.FS\n",
		"code/text": "a", "internal/exercise/sealed.tar": "a", "code/a_test.go": "package code\n", "code/testdata/x": "x",
		"imported/a.go":             "package imported\n\nimport _ \"m/internal/exercise\"\n",
		"internal/exercise/seal.go": "package exercise\n\nimport _ \"embed\"\n\n//go:embed sealed.tar\nvar sealed []byte\n",
	})
	files := map[string][]byte{"a.go": []byte("1"), "b.go": []byte("2")}
	want := answer{"<1/3>", 1.0 / 3}
	made := 0
	get := func(depends ...any) {
		t.Helper()
		got, err := Get(open(t, dir, root), func() (answer, bool, error) { made++; return want, true, nil }, depends...)
		if err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, c := range []struct {
		name    string
		change  map[string]string // of the module's files
		depends []any
		made    int // by then
	}{
		{"first", nil, []any{"native", files}, 1},
		{"again", nil, []any{"native", files}, 1},
		{"the same files", nil, []any{"native", map[string][]byte{"b.go": []byte("2"), "a.go": []byte("1")}}, 1},
		{"another engine", nil, []any{"wasm", files}, 2},
		{"another file", nil, []any{"native", map[string][]byte{"a.go": []byte("1"), "b.go": []byte("3")}}, 3},
		{"a name less", nil, []any{"native", map[string][]byte{"a.go": []byte("1")}}, 4},
		{"words that join alike", nil, []any{"nativ", "e"}, 5},
		{"words that join alike", nil, []any{"nati", "ve"}, 6},
		{"a test", map[string]string{"code/a_test.go": "package code // b\n", "code/testdata/x": "y"},
			[]any{"native", files}, 6},
		{"code that is not imported", map[string]string{"other/b.go": "package other // c\n"}, []any{"native", files}, 6},
		{"a sealed exercise", map[string]string{"internal/exercise/sealed.tar": "b"}, []any{"native", files}, 6},
		{"an embedded file", map[string]string{"code/text": "b"}, []any{"native", files}, 7},
		{"a file more", map[string]string{"code/b.go": "package code\n"}, []any{"native", files}, 8},
		{"what the code imports", map[string]string{"imported/a.go": "package imported // b\n"},
			[]any{"native", files}, 9},
		{"a library", map[string]string{"go.sum": "example.org/x v1.0.0 h1:x\n"}, []any{"native", files}, 10},
	} {
		lay(t, root, c.change)
		get(c.depends...)
		if made != c.made {
			t.Fatalf("%s: it was made %d times, want %d", c.name, made, c.made)
		}
	}
}

func TestNotCached(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	lay(t, root, map[string]string{"go.mod": goMod, "go.sum": "", "code/a.go": "package code\n"})
	s := open(t, dir, root)
	no := errors.New("no")
	for name, make := range map[string]func() (int, bool, error){
		"an error":        func() (int, bool, error) { return 0, true, no },
		"what may differ": func() (int, bool, error) { return 1, false, nil },
	} {
		if _, err := Get(s, make, name); err != nil && err != no {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s is cached: %v, %v", name, left, err)
		}
	}
	// Without a store all is made each time.
	for n := range 2 {
		made := 0
		if _, err := Get(nil, func() (int, bool, error) { made++; return n, true, nil }, "x"); err != nil || made != 1 {
			t.Errorf("made %d times, %v", made, err)
		}
	}
	// A file that was cut off is written anew.
	one := func() (int, bool, error) { return 1, true, nil }
	if _, err := Get(s, one, "cut"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file([]any{"cut"}), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := Get(s, one, "cut"); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := Open(dir, root, "./missing"); err == nil {
		t.Error("code that is not there is taken for unchanged")
	}
}

// TestOldResults proves that a result is removed ten days after it was used last.
func TestOldResults(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	lay(t, root, map[string]string{"go.mod": goMod, "go.sum": "", "code/a.go": "package code\n"})
	made := 0
	get := func(name string) {
		t.Helper()
		_, err := Get(open(t, dir, root), func() (answer, bool, error) { made++; return answer{}, true, nil }, name)
		if err != nil {
			t.Fatal(err)
		}
	}
	get("used")
	get("unused")
	old := time.Now().Add(-maxAge + time.Hour)
	for _, entry := range entries(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, entry), old, old); err != nil {
			t.Fatal(err)
		}
	}
	get("used") // not too old, and now as if new
	if made != 2 {
		t.Fatalf("%d results were made, want 2", made)
	}
	c := open(t, dir, root)
	if err := c.removeOld(old.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if left := entries(t, dir); len(left) != 1 {
		t.Errorf("left are %v, want only the result that was used", left)
	}
	get("used")
	get("unused")
	if made != 3 {
		t.Errorf("%d results were made, want 3", made)
	}
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range all {
		names = append(names, entry.Name())
	}
	return names
}
