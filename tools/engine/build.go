package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// errUsage is the error of a build that was started in a wrong way, and has not begun.
var errUsage = errors.New("wrong usage")

// goos is the system that parts and programs are built for.
const goos = "js"

// A partBuilder builds the parts of the engine.
type partBuilder struct {
	*golang
	root  string
	cache *cache
	temp  string // a folder that is removed after the build
	out   io.Writer

	printing sync.Mutex
}

func (w *partBuilder) printf(format string, args ...any) {
	w.printing.Lock()
	defer w.printing.Unlock()
	fmt.Fprintf(w.out, format, args...)
}

// build builds the engine of the repository in the working directory into dir, and prints its progress and the sizes to
// out. If quick is true, it compresses faster and less tightly.
func build(ctx context.Context, dir string, quick bool, out io.Writer) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if text, err := os.ReadFile("go.mod"); err != nil || !strings.HasPrefix(string(text), "module onthestack\n") {
		return fmt.Errorf("%w: run it in the repository's root: go run ./tools/engine DIR", errUsage)
	}
	dir = filepath.Clean(dir)
	if err := replaceable(dir); err != nil {
		return err
	}
	w := &partBuilder{root: root, out: out}
	if w.golang, err = findGo(ctx, root); err != nil {
		return err
	}
	var unlock func() error
	if w.cache, unlock, err = openCache(ctx, root, quick); err != nil {
		return err
	}
	defer unlock()
	// The temporary files of a go command that is killed are removed with this folder.
	if w.temp, err = w.cache.begin(); err != nil {
		return err
	}
	defer os.RemoveAll(w.temp)
	w.env = append(w.env, "GOTMPDIR="+w.temp)
	std, err := w.std(ctx)
	if err != nil {
		return err
	}
	parts, err := w.parts(std)
	if err != nil {
		return err
	}
	files, err := w.buildAll(ctx, parts)
	if err != nil {
		return err
	}
	m := manifest{Schema: schema, Go: w.release, GOOS: goos, GOARCH: goarch, GODEBUG: std.godebug,
		Imports: std.imports()}
	if err := m.write(dir, files); err != nil {
		return err
	}
	m.print(out)
	return w.cache.sweep()
}

// buildAll builds every part that is not up to date, and returns the files by the parts' names. Parts are built one
// after the other, since the go command uses all processors. The parts before are compressed meanwhile, each on one
// processor.
func (w *partBuilder) buildAll(ctx context.Context, parts []*part) (map[string]string, error) {
	compressing, ctx := errgroup.WithContext(ctx)
	compressed := make([]string, len(parts))
	for i, p := range parts {
		began := time.Now()
		w.printf("%s: building\n", p.file)
		built := p.make(ctx, filepath.Join(w.cache.dir, p.file))
		compressing.Go(func() (err error) {
			if err = built; err == nil {
				w.printf("%s: built in %s\n", p.file, seconds(began))
				compressed[i], err = w.compressed(ctx, p)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", p.file, err)
			}
			return err
		})
		if built != nil {
			break
		}
	}
	err := compressing.Wait()
	files := map[string]string{}
	for i, p := range parts {
		files[p.name] = compressed[i]
	}
	return files, err
}

func seconds(began time.Time) string { return fmt.Sprintf("%.1f s", time.Since(began).Seconds()) }
