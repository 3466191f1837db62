package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// An Isolated builds programs of strangers for wasip1/wasm, or for this machine if its options say so, in a folder of
// its own and within limits of the operating system. No build sees what another one compiled of a stranger's program,
// except that equal packages are compiled once (archiveCache), and no output shows a file of the machine.
//
// Most programs are one package main that imports only the standard library. Those are compiled and linked against the
// archives that Prepare listed, which takes half the time of go build for hello world. The go command builds all
// others; the results are the same.
//
// It is safe for concurrent use.
type Isolated struct {
	limits   Limits
	options  IsolatedOptions
	platform platform
	folder   *folder
	release  release

	builds   atomic.Int64
	archives atomic.Pointer[compilelink.Archives]
	// preparing is held while archives is replaced. It guards prepared, the import paths of earlier calls of Prepare. A
	// request that waits for it does not exceed its own time limit, as it would with a mutex.
	preparing    *semaphore.Weighted
	prepared     map[string]bool
	experiments  *experiments
	caches       caches
	archiveCache *archiveCache
	std          atomic.Pointer[[]string] // nil until Std was called
}

// IsolatedOptions are the options of an Isolated.
type IsolatedOptions struct {
	// Modules lets programs use modules of third parties. The go command downloads them through the machine's own proxy
	// setting, and never from their own hosts.
	Modules bool
	// Native builds for this machine instead of wasip1/wasm. Such programs run confined; see package sandbox.
	Native bool
	// Release is the Go release that builds, "go1.27.4", which must be on the machine; see Fetch.
	// "" is the installed one.
	Release string
	// CommandOnly makes the go command build everything, for comparisons.
	CommandOnly bool
}

// platform returns the platform to build for.
func (o IsolatedOptions) platform() platform {
	if o.Native {
		return platform{runtime.GOOS, runtime.GOARCH}
	}
	return platform{"wasip1", "wasm"}
}

// OpenIsolated creates the folder dir, removes from it the files of processes that have ended, and returns an Isolated
// that keeps all its files there. Several processes may share the folder. An error says what the machine lacks, and the
// remedy.
func OpenIsolated(dir string, limits Limits, o IsolatedOptions) (*Isolated, error) {
	r, err := queryIsolated(o.platform(), o.Release)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(dir, unsafeInName.ReplaceAllString(r.version, "_"))
	if err != nil {
		return nil, fmt.Errorf("open the toolchain's folder %s: %w", dir, err)
	}
	t := &Isolated{
		limits:    limits,
		options:   o,
		platform:  o.platform(),
		folder:    f,
		release:   r,
		preparing: semaphore.NewWeighted(1),
		prepared:  map[string]bool{},
	}
	t.caches.folder, t.caches.now = f, &cacheContents{}
	t.experiments = newExperiments(&t.caches, t.compileExperiments)
	t.archiveCache = newArchiveCache(filepath.Join(f.temp, "archives"))
	t.archives.Store(&compilelink.Archives{})
	return t, nil
}

// OpenCached returns an Isolated that keeps its files in the user's cache, where the compiled packages of the standard
// library stay for the next one, and prepares packages with it.
func OpenCached(ctx context.Context, limits Limits, o IsolatedOptions, imports ...string) (*Isolated, error) {
	dir, err := sharedFolder()
	if err != nil {
		return nil, err
	}
	t, err := OpenIsolated(dir, limits, o)
	if err != nil {
		return nil, err
	}
	if err := t.Prepare(ctx, imports...); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// sharedFolder returns the folder of OpenCached. All commands use it, and the tests of all packages but the runner.
func sharedFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for compiled packages: %w: set HOME", err)
	}
	return filepath.Join(cache, "onthestack", "step"), nil
}

// unsafeInName matches characters that a folder's name should not contain, as in "devel go1.27-0123456 Mon Jan 5".
var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// queryIsolated asks the go command for a release, and for the settings with which it finds modules. GOPROXY is without
// "direct".
func queryIsolated(p platform, name string) (release, error) {
	r, err := queryGo(queryEnviron(p, name), "GOPROXY", "GOSUMDB", "GONOSUMDB")
	if err == nil {
		r.settings["GOPROXY"] = withoutDirect(r.settings["GOPROXY"])
	}
	return r, err
}

// withoutDirect returns a GOPROXY setting up to its "direct", after which the go command ignores the rest. With
// "direct" it would ask the host in an import path, which the stranger chooses.
func withoutDirect(proxy string) string {
	if proxy = fromDirect.ReplaceAllString(proxy, ""); proxy == "" {
		return "off"
	}
	return proxy
}

var fromDirect = regexp.MustCompile(`(^|[,|])\s*direct\s*([,|].*)?$`)

// Close removes the files of this process. It keeps the compiled standard library.
func (t *Isolated) Close() error {
	t.experiments.close()
	return t.folder.close()
}

// Folder returns a folder of this process for other files. Close removes it. If the process is killed before that, the
// next OpenIsolated in any process removes it.
func (t *Isolated) Folder() string { return t.folder.temp }

// Version returns the Go release, as "go1.26.8".
func (t *Isolated) Version() string { return t.release.version }

// Zones returns the release's time zone database, lib/time/zoneinfo.zip.
func (t *Isolated) Zones() ([]byte, error) {
	zones, err := os.ReadFile(filepath.Join(t.release.goroot, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, fmt.Errorf("read the time zones of %s: %w", t.release.version, err)
	}
	return zones, nil
}

// Build builds a program or, with src.Test, its test binary. A mistake in the program, and a limit that the build
// reaches, is in the Build and not an error. The messages are the same as from go build in the program's folder.
func (t *Isolated) Build(ctx context.Context, src execution.Source) (*execution.Build, error) {
	command := []string{"build"}
	if src.Test {
		command = []string{"test", "-c", "-vet=off"}
	}
	if src.NoInlining {
		command = append(command, "-gcflags=-l")
	}
	return t.program(ctx, src, func(ctx context.Context, j *job) error {
		if plan, ok := t.planProgram(src); ok {
			return j.compileLink(ctx, t.tools(), plan.Build, j.binary())
		}
		return t.goBuild(ctx, j, src, append(command, "-ldflags="+linkFlags)...)
	})
}

// HasHarness reports whether Build builds the program without the go command, so that the program can import the
// harness's packages where they are compiled.
func (t *Isolated) HasHarness(src execution.Source) bool {
	src.Harness = true
	_, ok := t.planProgram(src)
	return ok
}

// Report compiles a program with the compiler's escape report (-m=2), which is the Output. It links nothing, so the
// program needs no main function.
func (t *Isolated) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return t.program(ctx, src, func(ctx context.Context, j *job) error {
		if plan, ok := t.planProgram(src); ok {
			return j.compileLink(ctx, t.tools(), plan.Report, "")
		}
		tests := strconv.FormatBool(src.Test)
		return t.goBuild(ctx, j, src, "list", "-export", "-gcflags=-m=2", `-f={{""}}`, "-test="+tests)
	})
}

// Vet runs go vet over a program, which must build.
func (t *Isolated) Vet(ctx context.Context, src execution.Source) (execution.ToolResult, error) {
	return vetResult(t.program(ctx, src, func(ctx context.Context, j *job) error {
		return t.goBuild(ctx, j, src, "vet")
	}))
}

// BuildTest implements verdict.Builder: it builds the test binary of the package once, with the escape report. Without
// the go command it links a main package that needs less; see harness.Main.
func (t *Isolated) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	src.Test = true
	return t.within(ctx, src, func(ctx context.Context, j *job) error {
		if plan, ok := t.planTest(src); ok {
			return j.compileLink(ctx, t.tools(), plan.Build, j.binary())
		}
		// A verdict does not depend on vet.
		return t.goBuild(ctx, j, src, "test", "-c", "-vet=off", "-gcflags=-m=2", "-ldflags="+linkFlags)
	})
}

// program is like within, for a program that a client sent. The program must have a go.mod.
func (t *Isolated) program(
	ctx context.Context, src execution.Source, steps func(context.Context, *job) error,
) (*execution.Build, error) {
	if _, ok := src.Files["go.mod"]; !ok {
		// The go command would use a go.mod of a parent folder.
		return nil, errors.New("build a program: it needs a go.mod")
	}
	return t.within(ctx, src, steps)
}

// within runs the steps of a build in a folder of its own, within the limit on time. It refuses a program that must not
// be built, and first compiles the packages of the standard library that the program imports.
func (t *Isolated) within(
	ctx context.Context, src execution.Source, steps func(context.Context, *job) error,
) (*execution.Build, error) {
	dir := filepath.Join(t.folder.temp, strconv.FormatInt(t.builds.Add(1), 10))
	limits := t.limits
	limits.Nice = src.Nice
	j := newJob(dir, t.release, t.platform, limits, t.hide)
	j.maxBinary = t.limits.File
	return j.run(ctx, func(ctx context.Context, j *job) error {
		if why := compilelink.Refuse(src); why != "" {
			j.build.Output = []byte(why)
			return nil
		}
		if err := os.MkdirAll(j.source(), 0o700); err != nil {
			return fmt.Errorf("make a folder for the build: %w", err)
		}
		if err := t.prepareFor(ctx, src.Files); err != nil {
			return err
		}
		if err := t.prepareExperiments(ctx, j, src); err != nil {
			return err
		}
		return steps(ctx, j)
	})
}

// tools returns the compiler and the linker.
func (t *Isolated) tools() tools { return tools{t.release.toolDir, t.environ("off"), t.archiveCache} }

// compilelink returns the toolchain that plans builds without the go command.
func (t *Isolated) compilelink() compilelink.Toolchain {
	return t.release.compilelink(t.platform, t.archives.Load(), linkFlags)
}

// planProgram plans the build of a program, or of its tests with the harness. ok is false if only the go command can
// build it, which builds all other tests.
func (t *Isolated) planProgram(src execution.Source) (_ compilelink.Plan, ok bool) {
	if t.options.CommandOnly || src.Test && !src.Harness {
		return compilelink.Plan{}, false
	}
	return t.compilelink().Program(src)
}

// planTest plans the build of the test binary of a check. ok is false if only the go command can build it.
func (t *Isolated) planTest(src execution.Source) (_ compilelink.Plan, ok bool) {
	if t.options.CommandOnly {
		return compilelink.Plan{}, false
	}
	return t.compilelink().Test(src)
}
