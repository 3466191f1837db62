package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
)

// maxExperiments bounds the combinations of experiments for which the standard library is compiled into the folder's
// cache, because a client chooses them. Programs with further combinations are built as a whole, each for itself.
const maxExperiments = 8

// experiments compile the standard library for programs that name experiments. A build would otherwise compile it for
// each of them anew, and none would ever end where that takes longer than the limit on time. The compilation goes on
// after a build that waited for it has reached its limit, so that a later one finds it done.
type experiments struct {
	caches *caches
	// compile compiles packages into the folder's cache, for the experiments that names lists.
	compile func(ctx context.Context, names string, packages []string) error

	mu sync.Mutex
	// byNames has the packages that are compiled or being compiled, by the names of the experiments.
	byNames map[string]map[string]*compilation
	running sync.WaitGroup
	ctx     context.Context // canceled by close
	stop    context.CancelFunc
	turn    lock // held by the one compilation that runs
}

// A compilation has ended when done is closed.
type compilation struct {
	done chan struct{}
	err  error // a failure of ours
}

func newExperiments(c *caches, compile func(context.Context, string, []string) error) *experiments {
	e := &experiments{
		caches: c, compile: compile,
		byNames: map[string]map[string]*compilation{}, turn: make(lock, 1),
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

// close ends all compilations.
func (e *experiments) close() {
	e.stop()
	e.running.Wait()
}

// wait compiles packages, unless that was done, and waits until it is done or ctx is.
func (e *experiments) wait(ctx context.Context, names string, packages []string) error {
	for _, c := range e.start(names, packages) {
		select {
		case <-c.done:
			if c.err != nil {
				return c.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// start returns the compilations of packages, after it has started one for all packages that have none. It returns nil
// if other experiments have filled byNames.
func (e *experiments) start(names string, packages []string) (all []*compilation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.byNames[names]
	if known == nil {
		if len(e.byNames) == maxExperiments {
			return nil
		}
		known = map[string]*compilation{}
		e.byNames[names] = known
	}
	started := &compilation{done: make(chan struct{})}
	var missing []string
	for _, path := range packages {
		if known[path] == nil {
			known[path] = started
			missing = append(missing, path)
		}
		all = append(all, known[path])
	}
	if len(missing) > 0 {
		e.running.Go(func() {
			defer close(started.done)
			if started.err = e.turn.take(e.ctx); started.err == nil {
				defer e.turn.give()
				started.err = errors.Join(e.compile(e.ctx, names, missing), e.caches.renew())
			}
			if started.err != nil {
				e.forget(known, missing)
			}
		})
	}
	return all
}

// forget removes packages whose compilation failed, so that the next program tries again.
func (e *experiments) forget(known map[string]*compilation, packages []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, path := range packages {
		delete(known, path)
	}
}

// prepareExperiments compiles the packages of the standard library that a program with experiments imports.
func (t *Isolated) prepareExperiments(ctx context.Context, j *job, src execution.Source) error {
	if len(src.Experiments) == 0 {
		return nil
	}
	packages, err := t.standardImports(src)
	if err != nil {
		return err
	}
	names := slices.Clone(src.Experiments)
	slices.Sort(names)
	list := strings.Join(slices.Compact(names), ",")
	err = t.experiments.wait(ctx, list, packages)
	if ctx.Err() != nil {
		j.build.Output = fmt.Appendf(nil, "The first program with GOEXPERIMENT=%s has to wait until the standard "+
			"library is compiled for it. That goes on: run the program again.\n", list)
	}
	return err
}

// compileExperiments compiles packages of the standard library for experiments into the folder's cache. It is no error
// if the release does not have an experiment or a package: the build of the program reports that.
func (t *Isolated) compileExperiments(ctx context.Context, names string, packages []string) error {
	ctx, cancel := prepareLimits.WithTimeout(ctx)
	defer cancel()
	args := slices.Concat([]string{"list", "-export", "-trimpath", "-f", `{{""}}`}, packages)
	_, err := t.trusted(ctx, t.folder.own, []string{"GOEXPERIMENT=" + names}, args...)
	if errors.As(err, new(*gocommand.Error)) {
		return nil
	}
	return err
}

// standardImports returns the packages of the standard library that a program and its build need directly. Experiments
// add packages that Std does not list, so it looks at the folders of the release.
func (t *Isolated) standardImports(src execution.Source) ([]string, error) {
	packages := map[string]bool{"runtime": true}
	if src.Test {
		packages["testing"], packages["testing/internal/testdeps"] = true, true
	}
	for name, text := range src.Files {
		paths, _ := imports(name, text) // the compiler reports the error
		for _, path := range paths {
			if !filepath.IsLocal(filepath.FromSlash(path)) || strings.HasPrefix(path, "-") {
				continue
			}
			info, err := os.Stat(filepath.Join(t.release.goroot, "src", filepath.FromSlash(path)))
			switch {
			case err == nil && info.IsDir():
				packages[path] = true
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return nil, fmt.Errorf("look up package %q: %w", path, err)
			}
		}
	}
	return slices.Sorted(maps.Keys(packages)), nil
}
