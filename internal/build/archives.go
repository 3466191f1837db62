package build

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"onthestack/internal/compilelink"
	"onthestack/internal/gocommand"
	"onthestack/internal/harness"
)

// prepareLimits leave time for compiling the standard library on a slow machine.
var prepareLimits = Limits{Time: 30 * time.Minute, Output: 8 << 20}

// Std returns the import paths of the standard library that a program may import, in order.
func (t *Isolated) Std(ctx context.Context) ([]string, error) {
	if std := t.std.Load(); std != nil {
		return *std, nil
	}
	ctx, cancel := prepareLimits.WithTimeout(ctx)
	defer cancel()
	o, err := t.trusted(ctx, t.folder.temp, nil, "list", "std")
	if err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	std := slices.DeleteFunc(strings.Fields(string(o)), func(path string) bool {
		path = "/" + path + "/"
		return strings.Contains(path, "/internal/") || strings.Contains(path, "/vendor/")
	})
	t.std.Store(&std)
	return std, nil
}

// trusted runs the go command on trusted code in the folder dir, with the build cache that all builds share and with
// further settings.
func (t *Isolated) trusted(ctx context.Context, dir string, settings []string, args ...string) ([]byte, error) {
	if err := keepAll(t.folder.cache); err != nil {
		return nil, err
	}
	out, err := gocommand.Run(ctx, gocommand.Options{Path: t.command(), Dir: dir, Env: append(t.trustedEnviron(), settings...)}, args...)
	if errors.As(err, new(*gocommand.Error)) {
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, err
}

// Prepare compiles the packages of the standard library with those import paths, their dependencies, and what checks
// need. Later builds use the compiled packages. The whole standard library takes half a minute on a new machine, and a
// second if it is in the build cache. Prepare may run concurrently with builds, and be called again with more import
// paths. From the second call on it uses one processor, and leaves the others to requests.
func (t *Isolated) Prepare(ctx context.Context, imports ...string) error {
	var flags []string
	if t.archives.Load().ImportConfig != "" {
		flags = []string{"-p=1"}
	}
	return t.prepare(ctx, flags, imports)
}

func (t *Isolated) prepare(ctx context.Context, flags, imports []string) error {
	std, err := t.Std(ctx)
	if err != nil {
		return err
	}
	for _, path := range imports {
		if !slices.Contains(std, path) && path != "unsafe" {
			return fmt.Errorf("prepare %q: it is not a package of the standard library", path)
		}
	}
	dir, err := os.MkdirTemp(t.folder.temp, "prepare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeTrusted(dir, imports); err != nil {
		return err
	}
	ctx, cancel := prepareLimits.WithTimeout(ctx)
	defer cancel()
	listed, err := t.list(ctx, dir, flags)
	if err != nil {
		return fmt.Errorf("compile the standard library: %w", err)
	}
	// This puts go vet's results for the standard library into the build cache.
	if _, err := t.trusted(ctx, dir, nil, slices.Concat([]string{"vet", "-trimpath"}, flags, []string{"."})...); err != nil {
		return fmt.Errorf("vet the standard library: %w", err)
	}

	if t.preparing.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer t.preparing.Release(1)
	for _, path := range imports {
		t.prepared[path] = true
	}
	if all := slices.Sorted(maps.Keys(t.prepared)); len(all) > len(imports) {
		if err := writeTrusted(dir, all); err != nil {
			return err
		}
		if listed, err = t.list(ctx, dir, nil); err != nil {
			return fmt.Errorf("list the standard library: %w", err)
		}
	}
	a, err := writeArchives(listed, t.folder.temp, std)
	if err != nil {
		return err
	}
	t.archives.Store(a)
	return t.caches.renew()
}

// prepareFor compiles the packages of the standard library that a program imports, unless Prepare has compiled them.
func (t *Isolated) prepareFor(ctx context.Context, files map[string][]byte) error {
	std, err := t.Std(ctx)
	if err != nil {
		return err
	}
	a := t.archives.Load()
	var missing []string
	for name, text := range files {
		paths, _ := harness.Imports(name, text) // the compiler reports the error
		for _, path := range paths {
			// Package unsafe is known to the compiler, and has no archive.
			if path != "unsafe" && !a.Public(path) && slices.Contains(std, path) {
				missing = append(missing, path)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return t.prepare(ctx, nil, missing)
}

// writeTrusted writes into the folder dir a module that imports the packages, so that the go command compiles them.
func writeTrusted(dir string, imports []string) error {
	files, err := compilelink.Trusted(imports)
	if err != nil {
		return err
	}
	return writeModule(dir, files)
}

// list compiles the module in the folder dir with all that it imports.
func (t *Isolated) list(ctx context.Context, dir string, flags []string) (compilelink.List, error) {
	out, err := t.trusted(ctx, dir, nil, compilelink.ListArguments(flags...)...)
	if err != nil {
		return compilelink.List{}, err
	}
	return compilelink.ReadList(string(out))
}

// writeArchives writes the archives' import configuration into the folder dir. Programs may import the packages in
// public. Builds that have begun continue to use the file with which they began.
func writeArchives(l compilelink.List, dir string, public []string) (*compilelink.Archives, error) {
	a, err := l.Archives(public)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "importcfg-")
	if err != nil {
		return nil, err
	}
	a.ImportConfig = f.Name()
	_, err = f.Write(a.Text())
	return a, errors.Join(err, f.Close())
}

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
