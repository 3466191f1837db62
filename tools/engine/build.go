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

var errUsage = errors.New("wrong usage")

// goos is the system that parts and programs are built for.
const goos = "js"

// A workshop is where parts are made.
type workshop struct {
	*golang
	root  string
	cache *cache
	out   io.Writer

	printing sync.Mutex
}

func (w *workshop) printf(format string, args ...any) {
	w.printing.Lock()
	defer w.printing.Unlock()
	fmt.Fprintf(w.out, format, args...)
}

// build builds the engine into dir. If quick is true, it compresses faster and less tightly.
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
	w := &workshop{root: root, out: out}
	if w.golang, err = findGo(ctx, root); err != nil {
		return err
	}
	if w.cache, err = openCache(root, quick); err != nil {
		return err
	}
	std, err := w.std(ctx)
	if err != nil {
		return err
	}
	parts, err := w.parts(ctx, std)
	if err != nil {
		return err
	}
	files, err := w.all(ctx, parts)
	if err != nil {
		return err
	}
	m := manifest{Schema: schema, Go: w.release(), GOOS: goos, GOARCH: arch, GODEBUG: std.godebug, Imports: std.imports()}
	if err := m.lay(dir, files); err != nil {
		return err
	}
	m.print(out)
	return w.cache.sweep()
}

// all has every part made that is not kept, and returns the files by the parts' names. One is built at a time, as the
// go command takes all processors, while those before it are compressed, which takes one each.
func (w *workshop) all(ctx context.Context, parts []*part) (map[string]string, error) {
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
		if file, ok := w.cache.kept(p); ok {
			done(p, file, nil)
			continue
		}
		dir, err := w.cache.begin()
		if err == nil {
			defer os.RemoveAll(dir)
			err = w.made(ctx, p, dir)
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

func (w *workshop) made(ctx context.Context, p *part, dir string) error {
	if done, err := w.cache.again(p, dir); done || err != nil {
		return err
	}
	began := time.Now()
	w.printf("%s: building\n", p.file)
	if err := p.make(ctx, filepath.Join(dir, p.file)); err != nil {
		return err
	}
	w.printf("%s: built in %s\n", p.file, seconds(began))
	return nil
}

func (w *workshop) compressed(ctx context.Context, p *part, dir string) (string, error) {
	began := time.Now()
	file, err := w.cache.keep(ctx, p, dir)
	if err == nil {
		w.printf("%s: compressed in %s\n", p.file, seconds(began))
	}
	return file, err
}

func seconds(began time.Time) string { return fmt.Sprintf("%.1f s", time.Since(began).Seconds()) }
