// Package toolchain drives the installed Go toolchain: it builds packages that are given as text, in a temporary module of
// their own, and removes all of it again.
package toolchain

import (
	"bytes"
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
	"time"

	"onthestack/internal/confine"
	"onthestack/internal/verdict"
)

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = "go1.26"

// Limits bound a build.
type Limits struct {
	Time   time.Duration // wall clock
	Output int           // bytes that compiler and linker print
	Memory int           // bytes of address space for each of their processes, 0 for no bound; on Unix only
}

// DefaultLimits allow for the first build on a machine, which compiles the standard library too.
func DefaultLimits() Limits { return Limits{Time: 3 * time.Minute, Output: 64 << 20} }

// TookTooLong begins the Stopped of a build that reached Limits.Time.
const TookTooLong = "took longer than"

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
	cmd := exec.Command("go", append([]string{"env"}, names...)...)
	cmd.Env = t.inherited()
	// Outside any module, so that no go.mod of the caller's picks another toolchain.
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return release{}, fmt.Errorf("the go command is not on PATH: install Go %s or newer (https://go.dev/dl/)", strings.TrimPrefix(Oldest, "go"))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return release{}, fmt.Errorf("go env: %s", bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return release{}, fmt.Errorf("go env: %w", err)
	}
	// A setting may be empty: each has its line all the same.
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(values) != len(names) {
		return release{}, fmt.Errorf("go env: unexpected answer %q", out)
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	r := release{version: values[0], goroot: values[1]}
	for i := 2; i < len(names); i++ {
		r.settings = append(r.settings, names[i]+"="+values[i])
	}
	if v := goVersion(r.version); version.IsValid(v) && version.Compare(v, Oldest) < 0 {
		return release{}, fmt.Errorf("Go %s is too old: install Go %s or newer (https://go.dev/dl/)",
			strings.TrimPrefix(r.version, "go"), strings.TrimPrefix(Oldest, "go"))
	}
	return r, usable(values[3])
}

// usable proves that the go command can keep what it compiles in the folder cache: it would report otherwise as if the code
// that it builds were wrong.
func usable(cache string) error {
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
func (t *Toolchain) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	// Vet has no say in a verdict. Symbol names in profiles do not come from DWARF, and linking without it (-s -w) is faster.
	return t.build(ctx, src, "test", "-c", "-vet=off", "-gcflags=-m=2", "-ldflags=-s -w")
}

// BuildProgram builds the main package of src.
func (t *Toolchain) BuildProgram(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	return t.build(ctx, src, "build", "-ldflags=-s -w")
}

// Vet runs go vet over the package of src, which builds. The result has no binary: OK is whether vet had nothing to say, and
// Output what it said.
func (t *Toolchain) Vet(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	return t.build(ctx, src, "vet")
}

func (t *Toolchain) build(ctx context.Context, src verdict.Source, subcommand string, flags ...string) (*verdict.Build, error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	b := &verdict.Build{
		Go: r.version, GOOS: t.goos, GOARCH: t.goarch,
		Close: func() error { return os.RemoveAll(dir) },
	}
	if err := t.run(ctx, b, dir, r, src, slices.Concat([]string{subcommand}, flags)); err != nil {
		b.Close()
		return nil, err
	}
	b.Output = hidePaths(b.Output, dir, r.goroot)
	return b, nil
}

func (t *Toolchain) run(ctx context.Context, b *verdict.Build, dir string, r release, src verdict.Source, command []string) error {
	module := filepath.Join(dir, moduleDir)
	if err := lay(module, src.Files); err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, t.limits.Time)
	defer cancel()
	output := &boundedBuffer{limit: t.limits.Output, full: cancel}
	args := slices.Concat(command, []string{"-trimpath", "-buildvcs=false"})
	if slices.Contains(command, "-c") || command[0] == "build" {
		b.Binary = filepath.Join(dir, "program")
		if t.goos == "windows" {
			b.Binary += ".exe" // without it the system finds no program
		}
		args = append(args, "-o", b.Binary)
	}
	args = append(args, "./"+src.Dir)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = module
	cmd.Env = t.environ(r, dir)
	if slices.Contains(command, "-race") {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = time.Second
	confine.Command(cmd, t.limits.Memory)
	err := cmd.Run()
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	b.Output = output.buf.Bytes()
	var exit *exec.ExitError
	switch {
	case output.over:
		b.Stopped = fmt.Sprintf("printed more than %d MiB and was stopped", t.limits.Output>>20)
	case ctx.Err() != nil:
		b.Stopped = fmt.Sprintf("%s %v and was stopped", TookTooLong, t.limits.Time)
	case err != nil && !errors.As(err, &exit):
		return fmt.Errorf("run the go command: %w", err)
	case err != nil && t.limits.Memory > 0 && outOfMemory.Match(b.Output):
		// What follows in the output is the compiler's own stack.
		b.Output = nil
		b.Stopped = fmt.Sprintf("needed more than %d MiB of memory and was stopped", t.limits.Memory>>20)
	default:
		b.OK = err == nil
	}
	return nil
}

// outOfMemory is what a compiler or linker says that reached the bound on its memory.
var outOfMemory = regexp.MustCompile(`(?m)^(fatal error: runtime: .*out of memory|fatal error: runtime: cannot allocate memory|runtime: out of memory)|cannot allocate memory`)

// moduleDir is the folder of the module in the folder of a build.
const moduleDir = "module"

// lay writes files below dir and a go.mod that makes a module of them, unless they bring one.
func lay(dir string, files map[string][]byte) error {
	if _, ok := files["go.mod"]; !ok {
		if err := write(dir, "go.mod", []byte("module onthestack\n\ngo "+strings.TrimPrefix(Oldest, "go")+".0\n")); err != nil {
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
		env = append(env, "PWD="+filepath.Join(dir, moduleDir), "GOTMPDIR="+dir)
	}
	return env
}

// inherited is what the go command takes over of the caller's environment, and what it is not to.
func (t *Toolchain) inherited() []string {
	env := []string{"GOOS=" + t.goos, "GOARCH=" + t.goarch,
		"GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "CGO_ENABLED=0", "GOEXPERIMENT=", "GODEBUG=", "LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "GOPATH", "GOMODCACHE", "GOENV", "GOTOOLCHAIN", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
		"TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LOCALAPPDATA", "APPDATA", "USERPROFILE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
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
	output = bytes.ReplaceAll(output, []byte(filepath.Join(dir, moduleDir)+string(filepath.Separator)), nil)
	output = buildFolder.ReplaceAll(output, nil)
	output = bytes.ReplaceAll(output, []byte(dir), []byte("$WORK"))
	if goroot != "" {
		output = bytes.ReplaceAll(output, []byte(goroot), []byte("$GOROOT"))
	}
	return output
}

// A boundedBuffer keeps what is written to it up to a limit, and calls full when there is more.
type boundedBuffer struct {
	buf   bytes.Buffer
	limit int
	full  func()
	over  bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.limit-b.buf.Len())
	b.buf.Write(p[:keep])
	if keep < len(p) && !b.over {
		b.over = true
		b.full()
	}
	return len(p), nil
}
