package build

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// caches are build caches of the go command for programs of strangers. Each has links to the files of the folder's
// cache. The files that a build adds are removed before the next one, so that no build sees what another one compiled.
// A build cannot change the folder's cache, because the go command does not overwrite files of its cache. Caches are
// reused by later builds: creating one takes 0.1 to 0.2 s, clearing one 6 ms.
type caches struct {
	folder *folder

	mu   sync.Mutex
	now  *cacheContents // of the folder's cache
	idle []*buildCache  // with these contents
}

type buildCache struct {
	dir string
	*cacheContents
}

// cacheContents are the folders of a build cache and the files in them, in order and relative to it.
type cacheContents struct{ dirs, files []string }

// renew updates caches to the contents of the folder's cache.
func (c *caches) renew() error {
	now, err := contentsOf(c.folder.cache)
	if err != nil {
		return err
	}
	c.mu.Lock()
	old := c.idle
	c.now, c.idle = now, nil
	c.mu.Unlock()
	for _, b := range old {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	// The first cache is created here, so that no request waits for it.
	first, makeErr := c.take()
	if makeErr == nil {
		makeErr = c.give(first, true)
	}
	return errors.Join(err, makeErr)
}

// take returns a cache for one build.
func (c *caches) take() (*buildCache, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		defer c.mu.Unlock()
		b := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return b, nil
	}
	now := c.now
	c.mu.Unlock()
	dir, err := os.MkdirTemp(c.folder.temp, "cache-")
	if err != nil {
		return nil, err
	}
	b := &buildCache{dir, now}
	if err := b.fill(c.folder.cache); err != nil {
		return nil, errors.Join(fmt.Errorf("make a build cache: %w", err), os.RemoveAll(dir))
	}
	return b, nil
}

// give returns a cache. It is used again only if the build ended by itself; otherwise a process of the build may still
// write to it.
func (c *caches) give(b *buildCache, ended bool) error {
	if !ended || b.clear() != nil {
		return os.RemoveAll(b.dir)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.cacheContents != c.now {
		return os.RemoveAll(b.dir)
	}
	c.idle = append(c.idle, b)
	return nil
}

func (b *buildCache) fill(from string) error {
	for _, name := range b.dirs {
		if err := os.Mkdir(filepath.Join(b.dir, name), 0o700); err != nil {
			return err
		}
	}
	for _, name := range b.files {
		// A go command that uses the folder's cache at the same time may have removed the file.
		if err := link(filepath.Join(from, name), filepath.Join(b.dir, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return keepAll(b.dir)
}

// clear removes the files that a build has added.
func (b *buildCache) clear() error {
	now, err := contentsOf(b.dir)
	if err != nil {
		return err
	}
	for _, name := range now.files {
		if _, known := slices.BinarySearch(b.files, name); !known {
			if err := os.Remove(filepath.Join(b.dir, name)); err != nil {
				return err
			}
		}
	}
	return keepAll(b.dir)
}

// keepAll keeps the go command from removing old files from a build cache, which it does once a day, and in a new cache
// at once.
func keepAll(cache string) error {
	return os.WriteFile(filepath.Join(cache, "trim.txt"), fmt.Appendf(nil, "%d", time.Now().Unix()), 0o600)
}

// link makes a hard link, or a copy if the file system has no links.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// contentsOf returns the contents of a build cache. Files in its root are not compiled code, and are left out.
func contentsOf(cache string) (*cacheContents, error) {
	// The names of the folders are the first byte of a hash; other folders ("fuzz") hold other things.
	const folder = "[0-9a-f][0-9a-f]"
	if _, err := os.Stat(cache); err != nil {
		return nil, err
	}
	root := os.DirFS(cache)
	dirs, err := fs.Glob(root, folder)
	files, filesErr := fs.Glob(root, folder+"/*")
	return &cacheContents{dirs, files}, errors.Join(err, filesErr)
}
