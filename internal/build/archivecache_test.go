package build

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"onthestack/internal/compilelink"
)

// TestArchiveCache stores more archives than a cache may hold.
func TestArchiveCache(t *testing.T) {
	dir := t.TempDir()
	c := newArchiveCache(filepath.Join(dir, "cache"))
	name := filepath.Join(dir, "0.a")
	text := func(i, size int) []byte { return append(make([]byte, size-1), byte(i)) }
	store := func(i, size int) {
		t.Helper()
		os.Remove(name)
		if err := os.WriteFile(name, text(i, size), 0o600); err != nil {
			t.Fatal(err)
		}
		c.store(compilelink.Key{byte(i)}, name)
	}
	restored := func(i int) bool {
		t.Helper()
		os.Remove(name)
		if !c.restore(compilelink.Key{byte(i)}, name) {
			return false
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, text(i, len(got))) {
			t.Errorf("archive %d is another one: %v", i, err)
		}
		return true
	}
	const most = maxArchives / maxArchive
	if store(200, maxArchive+1); restored(200) {
		t.Error("an archive that is too large is cached")
	}
	for i := range most {
		store(i, maxArchive)
	}
	store(1, 100) // is cached already
	if !restored(0) || !restored(1) {
		t.Error("an archive is not cached")
	}
	store(most, maxArchive)
	if restored(0) || restored(most-1) {
		t.Error("there are more archives than a cache may hold")
	}
	if !restored(most) {
		t.Error("the archive that was one too many is not cached")
	}
	files, err := os.ReadDir(c.dir)
	if err != nil || len(files) != 1 || c.bytes != maxArchive {
		t.Errorf("%d files of %d bytes, want 1: %v", len(files), c.bytes, err)
	}
	store(0, 100)
	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	if restored(0) {
		t.Error("an archive is restored whose file is gone")
	}
	if store(0, 100); !restored(0) {
		t.Error("an archive whose file was gone is not cached again")
	}
}
