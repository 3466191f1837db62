package build

import (
	"container/list"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"onthestack/internal/compilelink"
)

// Limits on an archiveCache, in bytes. The tests of an exercise have some 100 kB.
const (
	maxArchives = 64 << 20
	maxArchive  = 4 << 20
)

// An archiveCache caches compiled packages that are equal in many builds. A key is a hash of all that the compiler
// read, so a build gets what it would have compiled itself, whoever compiled it first. If there are too many, the least
// recently used ones are removed. It is safe for concurrent use.
type archiveCache struct {
	dir string // exists when the first archive is cached

	mu      sync.Mutex
	entries map[compilelink.Key]*list.Element // of order
	order   *list.List                        // *archiveEntry, the one that was used last at the front
	bytes   int64
	files   int // number of files made so far, from which the next one gets its name
}

type archiveEntry struct {
	key  compilelink.Key
	file string
	size int64
}

func newArchiveCache(dir string) *archiveCache {
	return &archiveCache{dir: dir, entries: map[compilelink.Key]*list.Element{}, order: list.New()}
}

// restore makes the archive with that key the file to, and reports whether there was one.
func (c *archiveCache) restore(key compilelink.Key, to string) bool {
	c.mu.Lock()
	e := c.entries[key]
	if e == nil {
		c.mu.Unlock()
		return false
	}
	c.order.MoveToFront(e)
	file := e.Value.(*archiveEntry).file
	c.mu.Unlock()
	if link(file, to) == nil {
		return true
	}
	// Another build has removed the file meanwhile, or a cleaner of temporary folders has.
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == e {
		c.remove(e)
	}
	return false
}

// store caches the file from, unless it is too large. Failing to cache it is harmless: the next build compiles it.
func (c *archiveCache) store(key compilelink.Key, from string) {
	info, err := os.Stat(from)
	if err != nil || info.Size() > maxArchive || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil {
		return
	}
	c.files++
	entry := &archiveEntry{key, filepath.Join(c.dir, strconv.Itoa(c.files)), info.Size()}
	if link(from, entry.file) != nil {
		os.Remove(entry.file)
		return
	}
	c.entries[key] = c.order.PushFront(entry)
	for c.bytes += entry.size; c.bytes > maxArchives; {
		c.remove(c.order.Back())
	}
}

// remove removes an archive. The mutex must be held.
func (c *archiveCache) remove(e *list.Element) {
	entry := c.order.Remove(e).(*archiveEntry)
	delete(c.entries, entry.key)
	c.bytes -= entry.size
	os.Remove(entry.file)
}
