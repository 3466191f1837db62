package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A cache keeps finished parts, each in a folder named by the part and by a hash of its inputs. The folder has the
// file, named by its content, and its compressed copies. It is written under another name and renamed when complete, so
// that an interrupted build leaves nothing that looks finished, and of two builds of the same part the second uses the
// first's. A part that was compressed quickly has a separate folder, and a later build without -quick builds it
// again, from what the go command has cached. A build with -quick accepts a tightly compressed part too.
type cache struct {
	dir    string
	script string // writes compressed copies of a folder's files beside them
	quick  bool
}

const (
	maxFolders = 4         // number of folders that are kept of each part
	minAge     = time.Hour // a folder that was written or used more recently is not removed
	aside      = "making-"
)

// openCache opens the cache below the user's cache folder.
func openCache(root string, quick bool) (*cache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("%w: set HOME or XDG_CACHE_HOME to a folder in which finished parts can be cached", err)
	}
	c := &cache{filepath.Join(dir, "onthestack", "engine"), filepath.Join(root, "web", "compress.mjs"), quick}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: set XDG_CACHE_HOME to a folder that you can write to", err)
	}
	return c, nil
}

// lookup returns the name of a finished part's file, which has its compressed copies beside it.
func (c *cache) lookup(p *part) (string, bool) {
	file, ok := lookupIn(c.folder(p, false), p)
	if !ok && c.quick {
		return lookupIn(c.folder(p, true), p)
	}
	return file, ok
}

func lookupIn(dir string, p *part) (string, bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+filepath.Ext(p.file)))
	if err != nil || len(files) != 1 {
		return "", false
	}
	// The file may be damaged, for example because the disk was full.
	text, err := os.ReadFile(files[0])
	if err != nil || filepath.Base(files[0]) != contentName(p.file, text) {
		return "", false
	}
	for _, suffix := range copies {
		if _, err := os.Stat(files[0] + suffix); err != nil {
			return "", false
		}
	}
	now := time.Now()
	os.Chtimes(dir, now, now) // only the order in which old folders are removed depends on it
	return files[0], true
}

func (c *cache) folder(p *part, quick bool) string {
	name := p.name + "-" + hex.EncodeToString(digest([]byte(p.key)))[:16]
	if quick {
		name += "-quick"
	}
	return filepath.Join(c.dir, name)
}

// begin creates a folder to build a part in. The caller has to remove it.
func (c *cache) begin() (string, error) { return os.MkdirTemp(c.dir, aside) }

// keep compresses the file of a part that was built in dir, and moves both into the cache.
func (c *cache) keep(ctx context.Context, p *part, dir string) (string, error) {
	plain := filepath.Join(dir, p.file)
	text, err := os.ReadFile(plain)
	if err != nil {
		return "", err
	}
	named := filepath.Join(dir, contentName(p.file, text))
	if err := errors.Join(os.Rename(plain, named), os.Chmod(dir, 0o755), os.Chmod(named, 0o644)); err != nil {
		return "", err
	}
	how := "--best"
	if c.quick {
		how = "--fast"
	}
	switch out, err := exec.CommandContext(ctx, "node", c.script, how, dir).CombinedOutput(); {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("node, which compresses, is not on PATH: install Node.js 20 or newer (https://nodejs.org)")
	case err != nil:
		return "", fmt.Errorf("compress: %w\n%s", err, out)
	}
	finished := c.folder(p, c.quick)
	// The folder may exist: another build finished first, or it is damaged.
	err = os.Rename(dir, finished)
	if kept, ok := c.lookup(p); ok {
		return kept, nil
	}
	if err := os.RemoveAll(finished); err != nil {
		return "", err
	}
	err = os.Rename(dir, finished)
	if kept, ok := c.lookup(p); ok {
		return kept, nil
	}
	return "", cmp.Or(err, fmt.Errorf("%s does not contain what was written to it: is the disk full?", finished))
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
			continue // another has removed it
		}
		part, _, _ := strings.Cut(entry.Name(), "-")
		used[entry.Name()] = info.ModTime()
		parts[part] = append(parts[part], entry.Name())
	}
	for part, names := range parts {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(used[b].Compare(used[a]), strings.Compare(a, b)) })
		for i, name := range names {
			if old := time.Since(used[name]) > minAge; old && (part+"-" == aside || i >= maxFolders) {
				err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, name)))
			}
		}
	}
	return err
}

// copies are the suffixes of a file's compressed copies.
var copies = []string{".br", ".gz"}

// contentName puts eight digits of the content's hash into a file's name: "link.wasm" becomes "link-0123abcd.wasm".
func contentName(file string, text []byte) string {
	ext := filepath.Ext(file)
	return strings.TrimSuffix(file, ext) + "-" + hex.EncodeToString(digest(text))[:8] + ext
}

func digest(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:]
}
