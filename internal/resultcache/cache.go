// Package resultcache caches deterministic results on disk, as the go command caches results of tests. Each result has
// a file, whose name is a hash of everything that the result depends on. Open names the code, and Get all else. A Checker
// caches verdicts.
//
// The tools for the book and the commands for authors use it. A reader's check does not, nor does the page's engine,
// which has no disk.
package resultcache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/gocommand"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
)

// maxAge is how long a result is cached after it was used last.
const maxAge = 10 * 24 * time.Hour

// A Cache stores results in a folder. A nil *Cache caches nothing.
type Cache struct {
	dir    string
	common []byte // hash of what all results depend on
}

// Open returns a cache of results that packages of the module at root compute, such as "./internal/verdict". Every
// result depends on go.mod, go.sum and the sources of these packages, see gocommand.Sources, on the platform, and on
// the settings of Go that differ from the defaults. The sealed exercises are left out: a result that depends on one
// names it in the call of Get.
func Open(dir, root string, packages ...string) (*Cache, error) {
	hash := sha256.New()
	changed, err := gocommand.Run(context.Background(), gocommand.Options{}, "env", "-changed")
	if err != nil {
		return nil, fmt.Errorf("read the settings of Go (go env -changed): %w", err)
	}
	fmt.Fprintf(hash, "%s/%s %s\n", runtime.GOOS, runtime.GOARCH, changed)
	sources, err := gocommand.Sources(root, nil, packages...)
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{"go.mod", "go.sum"}, sources...) {
		if name == exercise.SealedFile {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("read the code that results depend on: %w", err)
		}
		fmt.Fprintf(hash, "%s %x\n", name, sha256.Sum256(text))
	}
	c := &Cache{dir: dir, common: hash.Sum(nil)}
	return c, c.removeOld(time.Now().Add(-maxAge))
}

// removeOld removes the results that were last used before a time.
func (c *Cache) removeOld(before time.Time) error {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the cache of results: %w", err)
	}
	for _, entry := range entries {
		// Another process may have removed it meanwhile.
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			if err := os.Remove(filepath.Join(c.dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove an old result: %w", err)
			}
		}
	}
	return nil
}

// file returns the name of the file for a result with these dependencies.
func (c *Cache) file(depends []any) string {
	hash := sha256.New()
	hash.Write(c.common)
	for _, d := range depends {
		fmt.Fprintf(hash, "%T %#v\n", d, d) // fmt prints maps in key order
	}
	return filepath.Join(c.dir, fmt.Sprintf("%x.json", hash.Sum(nil)))
}

// Get returns the cached result for the given dependencies. If there is none, it calls make and caches the result,
// unless that is an error or deterministic is false, which says that another call could give another result. A new
// result is encoded to JSON and decoded too, so that new and cached results are equal. Dependencies must be strings,
// numbers, or maps and slices of them.
func Get[T any](c *Cache, make func() (result T, deterministic bool, err error), depends ...any) (result T, err error) {
	if c == nil {
		result, _, err = make()
		return result, err
	}
	name := c.file(depends)
	if text, err := os.ReadFile(name); err == nil {
		var cached T
		if json.Unmarshal(text, &cached) == nil {
			now := time.Now()
			err := os.Chtimes(name, now, now) // it was used
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // another process has removed old results
			}
			return cached, err
		}
	}
	result, deterministic, err := make()
	if err != nil || !deterministic {
		return result, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return result, err
	}
	var again T
	if err := json.Unmarshal(text.Bytes(), &again); err != nil {
		return result, err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return again, err
	}
	return again, safefile.Write(name, text.Bytes(), 0o644) // another process may write the same file at the same time
}

// VerdictCode returns the packages that compute verdicts, with each builder and runner, for Open.
func VerdictCode() []string {
	return []string{"./internal/resultcache", "./internal/build", "./internal/sandbox"}
}

// A Checker is a verdict.Checker that caches its verdicts.
type Checker struct {
	verdict.Checker
	Cache *Cache
	// Go is the release that the Builder uses, such as "go1.26.8".
	Go string
	// Fails is the stage at which the code is known to fail, "" for none. A failure there is cached too.
	Fails string
}

// Check is like verdict.Checker.Check. It caches verdicts that pass or that miss a target. An earlier failure is not
// cached, because it may be due to a limit that is reached only on a busy machine, unless it is the expected one.
func (c Checker) Check(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*verdict.Verdict, error) {
	name, archive, err := exercise.SealWithoutFigures(e)
	if err != nil {
		return nil, err
	}
	return Get(c.Cache, func() (*verdict.Verdict, bool, error) {
		v, err := c.Checker.Check(ctx, e, files)
		return v, err == nil && (v.Pass || v.Stage == verdict.StageBenchmark || v.Stage == c.Fails), err
	}, "verdict", c.Runner.Engine(), c.Racer != nil, c.Serial != nil, c.Go, name, archive, files)
}
