// Package toolchain drives the installed Go toolchain: it builds packages that are given as text, in a temporary module of
// their own, and removes all of it again.
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

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = compilelink.Oldest

// A Toolchain builds for one platform. It is safe for concurrent use.
type Toolchain struct {
	goos, goarch string
	release      string // "go1.27.4"; "" for the installed one, or what GOTOOLCHAIN says
	limits       Limits
	describe     func() (release, error)
}

// A release is the Go release that builds, and the settings of the caller's that say where it finds and keeps things.
type release struct {
	version, goroot string
	settings        []string // "GOCACHE=…"
}

// New returns the toolchain for this machine's own platform.
func New(limits Limits) *Toolchain { return newFor(runtime.GOOS, runtime.GOARCH, limits) }

// NewWasm returns the toolchain for GOOS=wasip1 GOARCH=wasm.
func NewWasm(limits Limits) *Toolchain { return newFor("wasip1", "wasm", limits) }

func newFor(goos, goarch string, limits Limits) *Toolchain {
	return (&Toolchain{goos: goos, goarch: goarch, limits: limits}).ready()
}

func (t *Toolchain) ready() *Toolchain {
	t.describe = sync.OnceValues(t.askGo)
	return t
}

// Release returns a toolchain like t of another Go release, "go1.27.4". It has to be on the machine: Fetch sees to that.
func (t *Toolchain) Release(name string) *Toolchain {
	return (&Toolchain{goos: t.goos, goarch: t.goarch, limits: t.limits, release: name}).ready()
}

// Version returns the Go release, as "go1.26.8". An error says what is missing and how to mend it.
func (t *Toolchain) Version() (string, error) {
	r, err := t.describe()
	return r.version, err
}

func (t *Toolchain) askGo() (release, error) {
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
	// Outside any module, so that no go.mod of the caller's picks another toolchain.
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
	// A setting may be empty: each has its line all the same.
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(values) != len(names) {
		return nil, fmt.Errorf("go env: unexpected answer %q", out)
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values, nil
}

// newEnough proves that the release of Go can build the workbook's programs.
func newEnough(release string) error {
	if v := goVersion(release); version.IsValid(v) && version.Compare(v, Oldest) < 0 {
		return fmt.Errorf("Go %s is too old: install Go %s or newer (https://go.dev/dl/)",
			strings.TrimPrefix(release, "go"), strings.TrimPrefix(Oldest, "go"))
	}
	return nil
}

// CheckCache proves that the go command can keep what it compiles in the folder cache: it would report otherwise as if the code
// that it builds were wrong.
func CheckCache(cache string) error {
	const remedy = "set GOCACHE, or HOME, to a folder that you can write to"
	if !filepath.IsAbs(cache) {
		return fmt.Errorf("Go has no build cache (go env GOCACHE says %q): %s", cache, remedy)
	}
	// The first of the folders that the go command wants in it. One that has them may be read-only.
	if err := os.MkdirAll(filepath.Join(cache, "00"), 0o777); err != nil {
		return fmt.Errorf("Go's build cache cannot be used: %w: %s", err, remedy)
	}
	return nil
}

// goVersion strips what a GOVERSION may carry after the version: "go1.26.8 X:nogreenteagc".
func goVersion(s string) string {
	v, _, _ := strings.Cut(s, " ")
	return v
}

// BuildTest implements verdict.Builder: one build of the package's test binary, with the escape report.
func (t *Toolchain) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	// Vet has no say in a verdict. Symbol names in profiles do not come from DWARF, and linking without it (-s -w) is faster.
	return t.build(ctx, src, "test", "-c", "-vet=off", "-gcflags=-m=2", "-ldflags=-s -w")
}

// Vet runs go vet over the package of src, which must build.
func (t *Toolchain) Vet(ctx context.Context, src execution.Source) (execution.VetResult, error) {
	return vetResult(t.build(ctx, src, "vet"))
}

// vetResult returns the result of a "go vet" that was run as a build is.
func vetResult(b *execution.Build, err error) (execution.VetResult, error) {
	if err != nil {
		return execution.VetResult{}, err
	}
	return execution.VetResult{OK: b.OK, Output: b.Output, Stop: b.Stop}, b.Close()
}

func (t *Toolchain) build(ctx context.Context, src execution.Source, subcommand string, flags ...string) (*execution.Build, error) {
	return t.buildWith(ctx, src, nil, subcommand, flags...)
}

// buildWith is Build with additional environment variables.
func (t *Toolchain) buildWith(ctx context.Context, src execution.Source, settings []string, subcommand string, flags ...string) (*execution.Build, error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	b := &execution.Build{
		Go: r.version, GOOS: t.goos, GOARCH: t.goarch,
		Close: func() error { return os.RemoveAll(dir) },
	}
	if err := t.run(ctx, b, dir, r, src, settings, slices.Concat([]string{subcommand}, flags)); err != nil {
		b.Close()
		return nil, err
	}
	b.Output = hidePaths(b.Output, dir, r.goroot)
	return b, nil
}

func (t *Toolchain) run(ctx context.Context, b *execution.Build, dir string, r release, src execution.Source, settings, command []string) error {
	module := filepath.Join(dir, moduleDir)
	if err := lay(module, src.Files); err != nil {
		return err
	}
	args := slices.Concat(command, []string{"-trimpath", "-buildvcs=false"})
	if slices.Contains(command, "-c") {
		b.Binary = filepath.Join(dir, "program")
		if t.goos == "windows" {
			b.Binary += ".exe" // without it the system finds no program
		}
		args = append(args, "-o", b.Binary)
	}
	args = append(args, "./"+src.Dir)
	env := append(t.environ(r, dir), settings...)
	ctx, cancel := t.limits.WithTimeout(ctx)
	defer cancel()
	o, err := t.limits.run(ctx, module, env, "go", args...)
	b.OK, b.Output, b.Stop = o.OK, o.Output, o.Stop
	return err
}

// moduleDir is the folder of the module in the folder of a build.
const moduleDir = compilelink.Source

// lay writes files below dir and a go.mod that makes a module of them, unless they bring one.
func lay(dir string, files map[string][]byte) error {
	if _, ok := files["go.mod"]; !ok {
		if err := write(dir, "go.mod", []byte(compilelink.Module)); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := write(dir, name, text); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, name string, text []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("file name %q leads out of the module", name)
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return fmt.Errorf("lay out the module: %w", err)
	}
	if err := os.WriteFile(full, text, 0o600); err != nil {
		return fmt.Errorf("lay out the module: %w", err)
	}
	return nil
}

// environ is the environment of the go command that builds in dir, "" for none: where its caches are and which toolchain to use
// as the caller has it, all else set, so that no setting of the caller's changes a measurement, also none of "go env -w".
func (t *Toolchain) environ(r release, dir string) []string {
	env := slices.Concat(t.inherited(), r.settings, []string{"GOENV=off"})
	if dir != "" {
		// The go command's own temporary files go the way of the build, also when it is killed.
		env = append(env, "GOTMPDIR="+dir)
	}
	return env
}

// inherited is the part of environ that is known before describe has asked the go command.
func (t *Toolchain) inherited() []string {
	env := environ(t.goos, t.goarch, cacheVariables, "GOPROXY=off", "GOEXPERIMENT=", "GODEBUG=")
	if t.release != "" {
		env = append(env, "GOTOOLCHAIN="+t.release)
	}
	return env
}

// buildFolder is the folder of some build, up to its module: go vet replays from the cache what it printed for the same files
// in an earlier build's folder.
var buildFolder = regexp.MustCompile(`([A-Za-z]:)?[/\\][^\n:"]*?checkalloc-build-\d+[/\\]module[/\\]`)

// hidePaths takes the folders of this machine out of what a reader sees.
func hidePaths(output []byte, dir, goroot string) []byte {
	output = HidePaths(output, filepath.Join(dir, moduleDir)+string(filepath.Separator), "")
	output = buildFolder.ReplaceAll(output, nil)
	return HidePaths(output, dir, "$WORK", goroot, "$GOROOT")
}
