package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedFiles damages the files of a store in several ways. The store does not open then, and says what to do.
func TestDamagedFiles(t *testing.T) {
	const count = 200 // two blocks of the server
	body := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 60_000)) }
	whole := t.TempDir()
	s := open(t, whole, ample)
	for i := range count {
		put(t, s, body(i))
	}
	s.store.Close()
	flip := func(at func(size int) (from, to int)) func([]byte) []byte {
		return func(text []byte) []byte {
			from, to := at(len(text))
			for i := from; i < to; i++ {
				text[i] ^= 0x55
			}
			return text
		}
	}
	all := flip(func(size int) (int, int) { return 0, size })
	for name, c := range map[string]struct {
		pattern string
		damage  func([]byte) []byte // of the file's text; nil if the file is removed
	}{
		"all blocks":                {"msgs/*.blk", all},
		"all blocks and the index":  {"msgs/*", all},
		"the stream's description":  {"meta.*", all},
		"a byte of the first block": {"msgs/1.blk", flip(func(size int) (int, int) { return size / 2, size/2 + 1 })},
		"the first block's end":     {"msgs/1.blk", func(text []byte) []byte { return text[:len(text)/2] }},
		"the first block":           {"msgs/1.blk", nil},
		"the last block":            {"msgs/2.blk", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			names, err := filepath.Glob(filepath.Join(dir, "jetstream", "$G", "streams", snippetStream, c.pattern))
			if err != nil || len(names) == 0 {
				t.Fatalf("%v: there is no %s", err, c.pattern)
			}
			for _, name := range names {
				text, err := os.ReadFile(name)
				if err == nil && c.damage == nil {
					err = os.Remove(name)
				} else if err == nil {
					err = os.WriteFile(name, c.damage(text), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s, err := openSnippets(t.Context(), Options{Dir: dir}, ample)
			if err == nil {
				held, err := s.Stats(t.Context())
				s.store.Close()
				t.Fatalf("it opens, with %+v, %v", held, err)
			}
			if !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), restore) {
				t.Error(err)
			}
			_, tally, ok := strings.Cut(err.Error(), "to continue with what is left, remove ")
			if !ok {
				return
			}
			if err := os.Remove(tally); err != nil {
				t.Fatal(err)
			}
			if s, err = openSnippets(t.Context(), Options{Dir: dir}, ample); err != nil {
				t.Fatalf("without the tally: %v", err)
			}
			s.store.Close()
		})
	}
}
