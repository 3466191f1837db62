package build

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = compilelink.Oldest

// A Toolchain builds code of the machine's own user for one platform. It is safe for concurrent use.
type Toolchain struct {
	goos, goarch string
	release      string // "go1.27.4"; "" for the installed release, or the one that GOTOOLCHAIN names
	limits       Limits
	describe     func() (release, error)
	prepared     atomic.Pointer[prepared] // nil until Prepare has ended
}

// A release is the Go release that builds, with the user's settings for the folders and caches of the go
// command.
type release struct {
	version, goroot string
	settings        []string // "GOCACHE=…"
}

// New returns the toolchain for this machine's own platform.
func New(limits Limits) *Toolchain { return newFor(runtime.GOOS, runtime.GOARCH, "", limits) }

// NewWasm returns the toolchain for GOOS=wasip1 GOARCH=wasm.
func NewWasm(limits Limits) *Toolchain { return newFor("wasip1", "wasm", "", limits) }

func newFor(goos, goarch, release string, limits Limits) *Toolchain {
	t := &Toolchain{goos: goos, goarch: goarch, release: release, limits: limits}
	t.describe = sync.OnceValues(t.queryGo)
	return t
}

// Release returns a toolchain like t of another Go release, "go1.27.4", which must be on the machine; see Fetch.
func (t *Toolchain) Release(name string) *Toolchain { return newFor(t.goos, t.goarch, name, t.limits) }

// Version returns the Go release, as "go1.26.8". An error says what the machine lacks, and the remedy.
func (t *Toolchain) Version() (string, error) {
	r, err := t.describe()
	return r.version, err
}

func (t *Toolchain) queryGo() (release, error) {
	names := []string{"GOVERSION", "GOROOT", "GOTOOLCHAIN", "GOCACHE", "GOMODCACHE"}
	values, err := goEnv(t.inherited(), names...)
	if err != nil {
		return release{}, err
	}
	r := release{version: values[0], goroot: values[1]}
	for i := 2; i < len(names); i++ {
		r.settings = append(r.settings, names[i]+"="+values[i])
	}
	if err := newEnough(r.version); err != nil {
		return release{}, err
	}
	return r, CheckCache(values[3])
}

// goEnv asks the go command for settings.
func goEnv(env []string, names ...string) ([]string, error) {
	// The command runs outside any module, so that no go.mod of the user's selects another toolchain.
	out, err := GoOutput(context.Background(), os.TempDir(), env, append([]string{"env"}, names...)...)
	var failed *GoError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, NoGo(Oldest)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("go env: %w", err)
	case err != nil:
		return nil, err
	}
	// An empty setting has a line too.
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(values) != len(names) {
		return nil, fmt.Errorf("go env: unexpected answer %q", out)
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values, nil
}

// newEnough returns an error if the release of Go cannot build the workbook's programs.
func newEnough(release string) error {
	if v := goVersion(release); version.IsValid(v) && version.Compare(v, Oldest) < 0 {
		return noGo(fmt.Sprintf("Go %s is too old: install Go %s or newer (https://go.dev/dl/)",
			strings.TrimPrefix(release, "go"), strings.TrimPrefix(Oldest, "go")))
	}
	return nil
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

// goVersion returns the version in a GOVERSION, which may have more after it: "go1.26.8 X:nogreenteagc".
func goVersion(s string) string {
	v, _, _ := strings.Cut(s, " ")
	return v
}

// BuildTest implements verdict.Builder: it builds the test binary of the package once, with the escape report.
func (t *Toolchain) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if p := t.prepared.Load(); p != nil {
		if plan, ok := p.plan(src); ok && p.complete() {
			return t.within(ctx, func(ctx context.Context, j *job, _ release) error {
				return j.compileLink(ctx, p.tools, plan.Build, j.binary())
			})
		}
	}
	// A verdict does not depend on vet. Profiles take symbol names from elsewhere than DWARF, and linking without it
	// (-s -w) is faster.
	return t.goBuild(ctx, src, nil, "test", "-c", "-vet=off", "-gcflags=-m=2", "-ldflags=-s -w")
}

// Vet runs go vet over the package of src, which must build.
func (t *Toolchain) Vet(ctx context.Context, src execution.Source) (execution.ToolResult, error) {
	return vetResult(t.goBuild(ctx, src, nil, "vet"))
}

// goBuild runs a subcommand of the go command over the package of src, with additional settings in its environment.
// With the flag -c it links a binary.
func (t *Toolchain) goBuild(
	ctx context.Context,
	src execution.Source,
	settings []string,
	command ...string,
) (*execution.Build, error) {
	return t.within(ctx, func(ctx context.Context, j *job, r release) error {
		if err := writeModule(j.source(), src.Files); err != nil {
			return err
		}
		args := slices.Concat(command, []string{"-trimpath", "-buildvcs=false"})
		binary := ""
		if slices.Contains(command, "-c") {
			binary = j.binary()
			if t.goos == "windows" {
				binary += ".exe" // Windows does not start a program without this suffix
			}
			args = append(args, "-o", binary)
		}
		env := slices.Concat(t.environ(r, j.dir), settings)
		o, err := t.limits.run(ctx, j.source(), env, "go", append(args, "./"+src.Dir)...)
		if err == nil {
			j.finish(o, binary)
		}
		return err
	})
}

// within runs the steps of a build in a temporary folder, within the limit on time.
func (t *Toolchain) within(
	ctx context.Context,
	steps func(context.Context, *job, release) error,
) (*execution.Build, error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	hide := func(output []byte) []byte { return hideFolders(output, dir, r.goroot) }
	j := newJob(dir, r.version, t.goos, t.goarch, hide)
	ctx, cancel := t.limits.WithTimeout(ctx)
	defer cancel()
	return j.end(steps(ctx, j, r))
}

// environ returns the environment of a go command whose temporary files are in dir, or in the system's folder if dir is
// "". The user's settings cannot change a measurement, whether they are in the environment or from "go env -w". Only
// the folders of the go command's caches and the release are the user's choice.
func (t *Toolchain) environ(r release, dir string) []string {
	env := slices.Concat(t.inherited(), r.settings, []string{"GOENV=off"})
	if dir != "" {
		// The temporary files are removed with the folder of the build even if the go command is killed.
		env = append(env, "GOTMPDIR="+dir)
	}
	return env
}

// inherited returns the part of environ that is known before the go command has been asked for its settings.
func (t *Toolchain) inherited() []string {
	env := environ(t.goos, t.goarch, cacheVariables, "GOPROXY=off", "GOEXPERIMENT=", "GODEBUG=")
	if t.release != "" {
		env = append(env, "GOTOOLCHAIN="+t.release)
	}
	return env
}

// buildFolder matches the folder of the module of any build. go vet may print messages from its cache that name the
// folder of an earlier build of the same files.
var buildFolder = regexp.MustCompile(`([A-Za-z]:)?[/\\][^\n:"]*?checkalloc-build-\d+[/\\]module[/\\]`)

// hideFolders removes the folder dir of a build, and GOROOT, from output.
func hideFolders(output []byte, dir, goroot string) []byte {
	output = HidePaths(output, filepath.Join(dir, compilelink.Source)+string(filepath.Separator), "")
	output = buildFolder.ReplaceAll(output, nil)
	return HidePaths(output, dir, "$WORK", goroot, "$GOROOT")
}
