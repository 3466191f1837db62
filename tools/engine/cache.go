package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A cache keeps the parts of earlier builds. Beside each part as it was built, by which the go command sees whether
// anything has changed, it has a folder for each content of a part that was compressed, with the file, named by its
// content, and its compressed copies. The folder is written under another name and renamed when complete, so that an
// interrupted build leaves nothing that looks finished. A part that was compressed quickly has a separate folder; a
// build with -quick accepts a tightly compressed part too.
type cache struct {
	dir    string
	script string // writes compressed copies of a folder's files beside them
	quick  bool
}

const (
	maxFolders   = 4 // number of folders that are kept of each part
	makingPrefix = "making-"
)

// openCache opens the cache below the user's cache folder, which one build at a time may use: it waits for others.
func openCache(ctx context.Context, root string, quick bool) (_ *cache, unlock func() error, err error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: set HOME or XDG_CACHE_HOME to a folder in which finished parts can be cached",
			err)
	}
	c := &cache{filepath.Join(dir, "onthestack", "engine"), filepath.Join(root, "web", "compress.mjs"), quick}
	lock := flock.New(filepath.Join(c.dir, "lock"))
	if err = os.MkdirAll(c.dir, 0o755); err == nil {
		_, err = lock.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: set XDG_CACHE_HOME to a folder that you can write to", err)
	}
	return c, lock.Unlock, nil
}

// begin creates a folder to build in. The caller has to remove it.
func (c *cache) begin() (string, error) { return os.MkdirTemp(c.dir, makingPrefix) }

// compressed returns the name of a built part's file, which has its compressed copies beside it. It makes each copy
// that is not cached.
func (w *partBuilder) compressed(ctx context.Context, p *part) (file string, err error) {
	text, err := os.ReadFile(filepath.Join(w.cache.dir, p.file))
	if err == nil && p.change != nil {
		text, err = p.change(text)
	}
	if err != nil {
		return "", err
	}
	name, how := contentName(p.file, text), "--best"
	folder := filepath.Join(w.cache.dir, strings.TrimSuffix(name, filepath.Ext(name)))
	if file = filepath.Join(folder, name); isComplete(file, text) {
		return file, nil
	}
	if w.cache.quick {
		folder, how = folder+"-quick", "--fast"
		if file = filepath.Join(folder, name); isComplete(file, text) {
			return file, nil
		}
	}
	began := time.Now()
	making, err := w.cache.begin()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	err = errors.Join(os.WriteFile(filepath.Join(making, name), text, 0o644), os.Chmod(making, 0o755))
	if err != nil {
		return "", err
	}
	switch out, err := exec.CommandContext(ctx, "node", w.cache.script, how, making).CombinedOutput(); {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("node, which compresses, is not on PATH: install Node.js 20 or newer (https://nodejs.org)")
	case err != nil:
		return "", fmt.Errorf("compress: %w\n%s", err, out)
	}
	// The folder may exist and be damaged.
	if err := errors.Join(os.RemoveAll(folder), os.Rename(making, folder)); err != nil {
		return "", err
	}
	if !isComplete(file, text) {
		return "", fmt.Errorf("%s does not contain what was written to it: is the disk full?", folder)
	}
	w.printf("%s: compressed in %s\n", p.file, seconds(began))
	return file, nil
}

// isComplete reports whether a file has that text, and its compressed copies beside it.
func isComplete(file string, text []byte) bool {
	stored, err := os.ReadFile(file)
	for _, suffix := range copies {
		_, missing := os.Stat(file + suffix)
		err = cmp.Or(err, missing)
	}
	now := time.Now()
	os.Chtimes(filepath.Dir(file), now, now) // only the order in which old folders are removed depends on it
	return err == nil && bytes.Equal(stored, text)
}

// sweep removes folders that an interrupted build left, and all but the last few of each part.
func (c *cache) sweep() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	used := map[string]time.Time{}
	parts := map[string][]string{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if part, _, isFolder := strings.Cut(entry.Name(), "-"); isFolder {
			used[entry.Name()] = info.ModTime()
			parts[part] = append(parts[part], entry.Name())
		}
	}
	for part, names := range parts {
		slices.SortFunc(names, func(a, b string) int { return used[b].Compare(used[a]) })
		if part+"-" != makingPrefix {
			names = names[min(len(names), maxFolders):]
		}
		for _, name := range names {
			err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, name)))
		}
	}
	return err
}

// copies are the suffixes of a file's compressed copies.
var copies = []string{".br", ".gz"}

// contentName puts eight digits of the content's hash into a file's name: "link.wasm" becomes "link-0123abcd.wasm".
func contentName(file string, text []byte) string {
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s-%.4x%s", strings.TrimSuffix(file, ext), sha256.Sum256(text), ext)
}
