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

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
	"onthestack/internal/harness"
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
	ctx     context.Context // canceled by close
	stop    context.CancelFunc
	turn    *semaphore.Weighted // held by the one compilation that runs
	running singleflight.Group

	mu       sync.Mutex
	compiled map[string]map[string]bool // packages, by the names of the experiments
}

func newExperiments(c *caches, compile func(context.Context, string, []string) error) *experiments {
	e := &experiments{caches: c, compile: compile, turn: semaphore.NewWeighted(1), compiled: map[string]map[string]bool{}}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

// close ends all compilations, and keeps the turn, so that none begins.
func (e *experiments) close() {
	e.stop()
	e.turn.Acquire(context.Background(), 1)
}

// wait compiles packages, unless that was done, and waits until it is done or ctx is.
func (e *experiments) wait(ctx context.Context, names string, packages []string) error {
	missing := e.missing(names, packages)
	if len(missing) == 0 {
		return nil
	}
	select {
	case r := <-e.running.DoChan(names+" "+strings.Join(missing, " "), func() (any, error) {
		if err := e.turn.Acquire(e.ctx, 1); err != nil {
			return nil, err
		}
		defer e.turn.Release(1)
		if err := errors.Join(e.compile(e.ctx, names, missing), e.caches.renew()); err != nil {
			return nil, err // the next program tries again
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, path := range missing {
			e.compiled[names][path] = true
		}
		return nil, nil
	}):
		return r.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// missing returns the packages that are not compiled. It returns none if other experiments have filled compiled.
func (e *experiments) missing(names string, packages []string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.compiled[names] == nil {
		if len(e.compiled) == maxExperiments {
			return nil
		}
		e.compiled[names] = map[string]bool{}
	}
	return slices.DeleteFunc(slices.Clone(packages), func(path string) bool { return e.compiled[names][path] })
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
	_, err := t.trusted(ctx, t.folder.temp, []string{"GOEXPERIMENT=" + names}, args...)
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
		paths, _ := harness.Imports(name, text) // the compiler reports the error
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
