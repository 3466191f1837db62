package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = compilelink.Oldest

// A Toolchain builds code of the machine's own user for one platform. It is safe for concurrent use.
type Toolchain struct {
	platform platform
	release  string // "go1.27.4"; "" for the installed release, or the one that GOTOOLCHAIN names
	limits   Limits
	describe func() (release, error)
	prepared atomic.Pointer[prepared] // nil until Prepare has ended

	compiling atomic.Bool  // Prepare's go command has begun to compile, and not ended
	building  atomic.Int32 // builds with the go command that are under way

	preparing    sync.WaitGroup // for PrepareBeside
	endPreparing context.CancelFunc
}

// New returns the toolchain for this machine's own platform.
func New(limits Limits) *Toolchain { return newFor(platform{runtime.GOOS, runtime.GOARCH}, "", limits) }

// NewWasm returns the toolchain for GOOS=wasip1 GOARCH=wasm.
func NewWasm(limits Limits) *Toolchain { return newFor(platform{"wasip1", "wasm"}, "", limits) }

func newFor(p platform, release string, limits Limits) *Toolchain {
	t := &Toolchain{platform: p, release: release, limits: limits}
	t.describe = sync.OnceValues(t.queryGo)
	return t
}

// Release returns a toolchain like t of another Go release, "go1.27.4", which must be on the machine; see Fetch.
func (t *Toolchain) Release(name string) *Toolchain { return newFor(t.platform, name, t.limits) }

// Version returns the Go release, as "go1.26.8". An error says what the machine lacks, and the remedy.
func (t *Toolchain) Version() (string, error) {
	r, err := t.describe()
	return r.version, err
}

// userSettings are the settings of the go command that the user chooses.
var userSettings = []string{"GOTOOLCHAIN", "GOCACHE", "GOMODCACHE"}

func (t *Toolchain) queryGo() (release, error) {
	r, err := queryGo(t.inherited(), userSettings...)
	if err != nil {
		return release{}, err
	}
	return r, CheckCache(r.settings["GOCACHE"])
}

// CheckCache returns an error if the go command cannot write to the build cache. The go command itself would report
// that as if the code that it builds were wrong.
func CheckCache(dir string) error {
	const remedy = "set GOCACHE, or HOME, to a folder that you can write to"
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("Go has no build cache (go env GOCACHE says %q): %s", dir, remedy)
	}
	// The go command makes this folder first. A cache that has all folders may be read-only.
	if err := os.MkdirAll(filepath.Join(dir, "00"), 0o777); err != nil {
		return fmt.Errorf("Go's build cache cannot be used: %w: %s", err, remedy)
	}
	return nil
}

// BuildTest implements verdict.Builder: it builds the test binary of the package once, with the escape report.
func (t *Toolchain) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	t.preparing.Wait()
	if p := t.prepared.Load(); p != nil {
		if plan, ok := p.toolchain.Test(src); ok && p.complete() {
			return t.within(ctx, func(ctx context.Context, j *job, _ release) error {
				return j.compileLink(ctx, p.tools, plan.Build, j.binary())
			})
		}
	}
	// A verdict does not depend on vet. Profiles take symbol names from elsewhere than DWARF, and linking without it is
	// faster.
	return t.goBuild(ctx, src, nil, "test", "-c", "-vet=off", "-gcflags=-m=2", "-ldflags="+stripFlags)
}

// Vet runs go vet over the package of src, which must build.
func (t *Toolchain) Vet(ctx context.Context, src execution.Source) (execution.ToolResult, error) {
	return vetResult(t.goBuild(ctx, src, nil, "vet"))
}

// goBuild makes the build of src with the go command, with additional settings in its environment. command is a
// subcommand and its flags.
func (t *Toolchain) goBuild(
	ctx context.Context, src execution.Source, settings []string, command ...string,
) (*execution.Build, error) {
	t.building.Add(1)
	defer t.building.Add(-1)
	return t.within(ctx, func(ctx context.Context, j *job, r release) error {
		if err := writeModule(j.source(), src.Files); err != nil {
			return err
		}
		g := goCommand{name: "go", env: slices.Concat(t.environ(r, j.dir), settings)}
		return j.goBuild(ctx, g, src, command...)
	})
}

// within runs the steps of a build in a temporary folder, within the limit on time.
func (t *Toolchain) within(
	ctx context.Context, steps func(context.Context, *job, release) error,
) (*execution.Build, error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	j := newJob(dir, r, t.platform, t.limits, r.hide)
	return j.run(ctx, func(ctx context.Context, j *job) error { return steps(ctx, j, r) })
}
