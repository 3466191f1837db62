package build

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestCachesForget gives a cache back with a file that a build has added, and one whose build did not end. The next
// build sees neither file, and the file of the folder's cache.
func TestCachesForget(t *testing.T) {
	dir := t.TempDir()
	f := &folder{cache: filepath.Join(dir, "cache"), temp: filepath.Join(dir, "temp")}
	for _, name := range []string{filepath.Join(f.cache, "0a"), f.temp} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shared, added := filepath.Join("0a", "shared-d"), filepath.Join("0a", "added-d")
	if err := os.WriteFile(filepath.Join(f.cache, shared), []byte("compiled"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &caches{folder: f}
	if err := c.renew(); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []bool{true, false} {
		b, err := c.take()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.dir, added), []byte("strange"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.give(b, ended); err != nil {
			t.Fatal(err)
		}
		next, err := c.take()
		if err != nil {
			t.Fatal(err)
		}
		if (next.dir == b.dir) != ended {
			t.Errorf("ended %t: the next build has %s after %s", ended, next.dir, b.dir)
		}
		if _, err := os.Stat(filepath.Join(next.dir, added)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ended %t: the next build sees what this one has added (%v)", ended, err)
		}
		if _, err := os.Stat(filepath.Join(next.dir, shared)); err != nil {
			t.Errorf("ended %t: %v", ended, err)
		}
		if err := c.give(next, true); err != nil {
			t.Fatal(err)
		}
	}
}
