package build

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"

	"onthestack/internal/compilelink"
)

// Limits on an archiveCache, in bytes. The tests of an exercise have some 100 kB.
const (
	maxArchives = 64 << 20
	maxArchive  = 4 << 20
)

// An archiveCache caches compiled packages that are equal in many builds. A key is a hash of all that the compiler
// read, so a build gets what it would have compiled itself, whoever compiled it first. If there are too many, all are
// removed. It is safe for concurrent use.
type archiveCache struct {
	dir string // exists when the first archive is cached, with a file for each, named by its key

	mu    sync.Mutex
	bytes int64 // of these files
}

func newArchiveCache(dir string) *archiveCache { return &archiveCache{dir: dir} }

func (c *archiveCache) file(key compilelink.Key) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:]))
}

// restore makes the archive with that key the file to, and reports whether there was one.
func (c *archiveCache) restore(key compilelink.Key, to string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return link(c.file(key), to) == nil
}

// store caches the file from, unless it is too large. Failing to cache it is harmless: the next build compiles it.
func (c *archiveCache) store(key compilelink.Key, from string) {
	info, err := os.Stat(from)
	if err != nil || info.Size() > maxArchive {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	file := c.file(key)
	if _, err := os.Lstat(file); err == nil {
		return
	}
	if c.bytes+info.Size() > maxArchives {
		os.RemoveAll(c.dir)
		c.bytes = 0
	}
	if os.MkdirAll(c.dir, 0o700) != nil || link(from, file) != nil {
		os.Remove(file)
		return
	}
	c.bytes += info.Size()
}
