package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/resultcache"
	"onthestack/internal/verdict"
)

// unavailable is the error for a release that cannot be downloaded.
type unavailable struct{ error }

// measure measures subjects on one patch release, concurrently on all processors: only allocations are counted, so a
// busy machine does not change the figures. It returns the measurements that it has, even with an error, which joins
// the errors of all subjects.
func (h *History) measure(
	ctx context.Context,
	patch string,
	subjects []*subject,
) (map[*subject]bookdata.Measurement, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	began := time.Now()
	h.Progress.Show("%s: getting it", patch)
	defer h.Progress.Clear()
	goroot, err := build.Fetch(ctx, patch)
	if ctx.Err() != nil {
		return nil, ctx.Err() // an interruption is not the release's failure
	}
	if err != nil {
		return nil, &unavailable{err}
	}
	work, err := os.MkdirTemp("", "history-"+patch+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := newReleaseRunner(ctx, patch, goroot, work, len(subjects))
	r.book = h.book

	found := map[*subject]bookdata.Measurement{}
	var problems []error
	for i, wait := range execution.InOrder(ctx, len(subjects), func(ctx context.Context, i int) (bookdata.Measurement, error) {
		return resultcache.Get(h.Cache, func() (bookdata.Measurement, bool, error) {
			m, err := r.measure(ctx, subjects[i])
			return m, true, err
		}, "listing", patch, subjects[i].name, subjects[i].part.Files, subjects[i].part.Benchmarks)
	}) {
		s := subjects[i]
		h.Progress.Show("%-10s %3d of %d  %s", patch, i+1, len(subjects), s.name)
		m, err := wait()
		switch {
		case ctx.Err() != nil:
			return found, nil // measurements that were interrupted have no result
		case err != nil:
			problems = append(problems,
				fmt.Errorf("%s on %s: %w\nwrite it in the Go of that time, or set since in its listing.toml to the "+
					"first release that can build it",
					s.name, patch, err))
		default:
			found[s] = m
		}
	}
	h.Progress.Print("%-10s %d of %d listings in %v", patch, len(found), len(subjects),
		time.Since(began).Round(100*time.Millisecond))
	return found, errors.Join(problems...)
}

// A releaseRunner builds and runs subjects with one release of Go, in a folder of its own.
type releaseRunner struct {
	patch  string // "go1.8.7"
	tool   string // its go command
	module string // folder of the module "onthestack", also by GOPATH
	book   string // the book's folder in it, slash-separated
	env    []string
	// ready prepares the release for its first build.
	ready func() error
}

// fewListings is the largest number of listings for which installing the standard library does not save time.
const fewListings = 8

// newReleaseRunner prepares a release in the folder work, for the given number of listings.
func newReleaseRunner(ctx context.Context, patch, goroot, work string, listings int) *releaseRunner {
	ready := func() error { return nil }
	if original := goroot; version.Compare(patch, "go1.10") < 0 && listings > fewListings {
		goroot = filepath.Join(work, "goroot")
		ready = func() error { return install(ctx, original, goroot) }
	}
	r := &releaseRunner{patch: patch, ready: sync.OnceValue(ready), tool: filepath.Join(goroot, "bin", "go"),
		module: filepath.Join(work, "src", "onthestack")}
	modules := "off"
	if r.modules() {
		modules = "on"
	}
	r.env = build.Environ("GOROOT="+goroot, "GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GOPATH="+work,
		"GO111MODULE="+modules)
	return r
}

// install copies a GOROOT and compiles the standard library's archives in it. A release before 1.10 has no build cache
// and takes the distribution's archives for outdated, so it would compile the standard library again for each listing.
func install(ctx context.Context, from, to string) error {
	// The copies can be written, and the module cache cannot.
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	env := build.Environ("GOROOT="+to, "GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GO111MODULE=off", "GOPATH="+
		filepath.Join(to, "gopath"))
	_, err := build.RunTrusted(ctx, to, env, filepath.Join(to, "bin", "go"), "install", "std")
	return err
}

// modules reports whether the release is measured with modules. Releases before Go 1.21, which cannot switch
// toolchains, read GOPATH.
func (r *releaseRunner) modules() bool { return version.Compare(r.patch, "go1.21") >= 0 }

// measure builds a subject's test binary and runs it. With modules, each subject has a module of its own, so that none
// waits for another.
func (r *releaseRunner) measure(ctx context.Context, s *subject) (bookdata.Measurement, error) {
	m := bookdata.Measurement{Go: r.patch, Platform: runtime.GOOS + "/" + runtime.GOARCH, Source: s.part.Source()}
	dir := filepath.Join(r.module, filepath.FromSlash(r.book), filepath.FromSlash(s.name))
	files := maps.Clone(s.part.Files)
	files["zz_history_test.go"] = mainFile(s.part, r.patch)
	if r.modules() {
		files["go.mod"] = []byte("module onthestack/" + r.book + "/" + s.name + "\n\ngo " +
			strings.TrimPrefix(r.patch, "go") + "\n")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return m, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return m, err
		}
	}
	if err := r.ready(); err != nil {
		return m, err
	}
	binary := filepath.Join(dir, "listing.test")
	if _, err := build.RunTrusted(ctx, dir, r.env, r.tool, "test", "-c", "-o", binary, "."); err != nil {
		return m, hide(err, r.module)
	}
	out, err := build.RunTrusted(ctx, dir, append(slices.Clone(r.env), "GOMAXPROCS=1", "GOGC=off"), binary)
	if err != nil {
		return m, hide(err, r.module)
	}
	m.Benchmarks, err = figures(out, s.part.Benchmarks)
	return m, err
}

// hide removes the temporary folder from an error's text.
func hide(err error, dir string) error {
	return errors.New(strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""),
		filepath.Dir(dir), "."))
}

// figures parses the binary's output, which has several rounds for each benchmark. The median of the rounds counts,
// because an old runtime sometimes allocates during a benchmark.
func figures(out []byte, benchmarks []string) ([]bookdata.Benchmark, error) {
	allocs, bytesPerOp := map[string][]float64{}, map[string][]float64{}
	for line := range bytes.Lines(out) {
		var name string
		var few, many, a1, b1, a2, b2 float64
		if _, err := fmt.Sscan(string(line), &name, &few, &a1, &b1, &many, &a2, &b2); err != nil || many <= few {
			return nil, fmt.Errorf("the benchmark printed %q, which is not a measurement", line)
		}
		allocs[name] = append(allocs[name], (a2-a1)/(many-few))
		bytesPerOp[name] = append(bytesPerOp[name], (b2-b1)/(many-few))
	}
	var all []bookdata.Benchmark
	for _, name := range benchmarks {
		if len(allocs[name]) != rounds {
			return nil, fmt.Errorf("%s: %d measurements instead of %d", name, len(allocs[name]), rounds)
		}
		all = append(all, bookdata.Benchmark{Name: name, AllocsPerOp: rounded(verdict.Median(allocs[name]), 1000),
			BytesPerOp: rounded(verdict.Median(bytesPerOp[name]), 10)})
	}
	return all, nil
}

// rounded rounds x to multiples of 1/parts. The precision is so low that one additional block of the allocator does not
// change the result: on Go 1.4, a benchmark's preparation sometimes costs one block of tiny objects more, 16 bytes over
// all operations. Adding 0 turns -0, which a difference can be, into 0.
func rounded(x, parts float64) float64 { return math.Round(x*parts)/parts + 0 }
