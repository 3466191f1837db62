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
	if w.cache, err = openCache(root, quick); err != nil {
		return err
	}
	// The temporary files of a go command that is killed are removed with this folder.
	temp, err := w.cache.begin()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	w.env = append(w.env, "GOTMPDIR="+temp)
	std, err := w.std(ctx)
	if err != nil {
		return err
	}
	parts, err := w.parts(ctx, std)
	if err != nil {
		return err
	}
	files, err := w.buildAll(ctx, parts)
	if err != nil {
		return err
	}
	m := manifest{Schema: schema, Go: w.release(), GOOS: goos, GOARCH: goarch, GODEBUG: std.godebug,
		Imports: std.imports()}
	if err := m.write(dir, files); err != nil {
		return err
	}
	m.print(out)
	return w.cache.sweep()
}

// buildAll builds every part that is not cached, and returns the files by the parts' names. Parts are built one after
// the other, since the go command uses all processors. The parts before are compressed meanwhile, each on one
// processor.
func (w *partBuilder) buildAll(ctx context.Context, parts []*part) (map[string]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var making sync.WaitGroup
	files := map[string]string{}
	done := func(p *part, file string, err error) {
		mu.Lock()
		defer mu.Unlock()
		files[p.name] = file
		if err != nil {
			cancel(fmt.Errorf("%s: %w", p.file, err))
		}
	}
	for _, p := range parts {
		if file, ok := w.cache.lookup(p); ok {
			done(p, file, nil)
			continue
		}
		dir, err := w.cache.begin()
		if err == nil {
			defer os.RemoveAll(dir)
			err = w.built(ctx, p, dir)
		}
		if err != nil {
			done(p, "", err)
			break
		}
		making.Go(func() {
			file, err := w.compressed(ctx, p, dir)
			done(p, file, err)
		})
	}
	making.Wait()
	return files, context.Cause(ctx)
}

func (w *partBuilder) built(ctx context.Context, p *part, dir string) error {
	began := time.Now()
	w.printf("%s: building\n", p.file)
	if err := p.make(ctx, filepath.Join(dir, p.file)); err != nil {
		return err
	}
	w.printf("%s: built in %s\n", p.file, seconds(began))
	return nil
}

func (w *partBuilder) compressed(ctx context.Context, p *part, dir string) (string, error) {
	began := time.Now()
	file, err := w.cache.keep(ctx, p, dir)
	if err == nil {
		w.printf("%s: compressed in %s\n", p.file, seconds(began))
	}
	return file, err
}

func seconds(began time.Time) string { return fmt.Sprintf("%.1f s", time.Since(began).Seconds()) }
