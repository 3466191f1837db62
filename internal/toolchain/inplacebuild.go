package toolchain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// inPlaceLimits bound a build in place, that of all that the package needs included. They leave room for the largest programs: it is the
// machine that they protect. What the compiler prints is read while it prints it.
var inPlaceLimits = Limits{Time: 15 * time.Minute, Memory: 8 << 30, CPU: 15 * time.Minute, File: 4 << 30}

// A Compiled is a package that was compiled in place, and linked where it has benchmarks. Close removes the binary.
type Compiled struct {
	OK     bool
	Binary string // of its tests, with what measures its benchmarks; "" for a package without any
	// Benchmarks are the names of its benchmark functions, where they were asked for.
	Benchmarks []string
	// Diagnostics are the compiler's on the package's files, its tests among them, by their base names, in the order of the
	// source.
	Diagnostics []escape.Diagnostic
	// Problems are why it is not OK: those with a place, and lines without one. Files of the package are named by their base names.
	Problems []escape.Diagnostic
	Lines    []string

	dir   string
	added []string // how the names of the files that measure begin
}

// Close removes the binary.
func (c *Compiled) Close() error { return removeAll(c.dir) }

// removeAll removes the folder of a build. A compiler that was killed with the go command may write for a moment still.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// Compile compiles the package with its escape report. Where measure is true and it has benchmarks, it builds the program that
// measures them too, in the same step. A mistake in the package is not an error: it is in the result.
func (l *Located) Compile(ctx context.Context, measure bool) (*Compiled, error) {
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	c := &Compiled{dir: dir}
	if err := l.compile(ctx, c, measure); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (l *Located) compile(ctx context.Context, c *Compiled, measure bool) error {
	files, err := l.Files()
	if err != nil {
		return err
	}
	args := []string{"list", "-export"} // it compiles and does not link
	if measure {
		overlay, err := l.overlay(c, files)
		if err != nil {
			return err
		}
		program := filepath.Join(c.dir, "program")
		if l.GOOS == "windows" {
			program += ".exe"
		}
		switch {
		case len(c.Benchmarks) > 0:
			c.Binary = program
			args = []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay=" + overlay, "-o", program}
		case l.unread(files):
			// There may be benchmarks in what has a syntax error: the go command says where.
			args = []string{"test", "-c", "-vet=off", "-o", program}
		}
	}
	if err := os.Mkdir(filepath.Join(c.dir, "tmp"), 0o700); err != nil {
		return err
	}
	env := append(slices.Clone(l.env), "GOTMPDIR="+filepath.Join(c.dir, "tmp"))
	args = slices.Concat(args, l.run.flags(), []string{"-gcflags=-m=2", l.ImportPath})
	r := l.reportOf(c.dir, files)
	r.flows = mostFlows
	if c.OK, err = l.run.report(ctx, env, r, args...); err != nil {
		return fmt.Errorf("build %s: %w", l.ImportPath, err)
	}
	c.Diagnostics, c.Problems, c.Lines = r.result()
	if !c.OK {
		c.Binary = ""
	}
	return nil
}

// overlayDir is the folder, in that of a build, of files that take the place of the package's.
const overlayDir = "overlay"

// unread reports whether a file of the package's tests cannot be read as Go.
func (l *Located) unread(files map[string][]byte) bool {
	return slices.ContainsFunc(slices.Concat(l.TestGoFiles, l.XTestGoFiles), func(name string) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", files[name], parser.SkipObjectResolution)
		return err != nil
	})
}

// overlay lays out in the folder of c what measures the package's benchmarks, and the file that tells the go command of it. It
// returns that file's name, and sets the names of the benchmark functions, none where there is nothing to lay out.
func (l *Located) overlay(c *Compiled, files map[string][]byte) (name string, err error) {
	if len(l.TestGoFiles)+len(l.XTestGoFiles) == 0 {
		return "", nil
	}
	at, importPath := l.vacant()
	f := harness.Foreign{Name: l.Name, Files: files, Tests: l.TestGoFiles, XTests: l.XTestGoFiles}
	added, benchmarks := f.Overlay(importPath)
	if len(benchmarks) == 0 {
		return "", nil
	}
	packages, err := harness.InPlacePackages(importPath)
	if err != nil {
		return "", err
	}
	c.Benchmarks, c.added = benchmarks, []string{at, importPath}
	replace := map[string]string{}
	lay := func(real, name string, text []byte) error {
		to := filepath.Join(c.dir, overlayDir, filepath.FromSlash(name))
		replace[real] = to
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600))
	}
	for name, text := range added {
		if harness.Added(name) {
			c.added = append(c.added, filepath.Join(l.Dir, name), path.Join(l.ImportPath, name))
		}
		err = cmp.Or(err, lay(filepath.Join(l.Dir, name), name, text))
	}
	for name, text := range packages {
		err = cmp.Or(err, lay(filepath.Join(at, filepath.FromSlash(name)), "harness/"+name, text))
	}
	if err != nil {
		return "", fmt.Errorf("lay out what measures: %w", err)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(c.dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// vacant finds a folder of the module that is not there, for the packages that measure, and its import path.
func (l *Located) vacant() (dir, importPath string) {
	root, base := l.ModuleDir, l.path
	if root == "" { // the standard library
		root, base = filepath.Join(l.goroot, "src"), ""
	}
	// A folder with a module of its own is not the module's.
	if _, err := os.Stat(filepath.Join(root, "internal", "go.mod")); err != nil {
		root, base = filepath.Join(root, "internal"), path.Join(base, "internal")
	}
	for i := 0; ; i++ {
		name := "checkallocharness" + strings.Repeat("x", i)
		if _, err := os.Lstat(filepath.Join(root, name)); errors.Is(err, os.ErrNotExist) || i == 100 {
			return filepath.Join(root, name), path.Join(base, name)
		}
	}
}

// report runs the go command under inPlaceLimits and hands what it prints to r. It reports whether the command succeeded; an error is a
// failure of ours.
func (g InPlace) report(ctx context.Context, env []string, r *inPlaceReport, args ...string) (ok bool, err error) {
	ctx, cancel := inPlaceLimits.WithTimeout(ctx)
	defer cancel()
	cmd := inPlaceLimits.Command(ctx, g.Dir, slices.Concat(os.Environ(), env), "go", args...)
	cmd.Stderr = r
	cmd.Stdout = io.Discard
	if args[0] != "list" {
		cmd.Stdout = r
	}
	runErr := cmd.Run()
	closeErr := r.Close()
	printed := slices.Concat([]byte(strings.Join(r.lines, "\n")+"\n"), r.rest)
	if r.stop, err = inPlaceLimits.Stop(ctx, runErr, printed); err != nil || r.stop.Kind != execution.NotStopped {
		return false, err
	}
	if runErr != nil {
		return false, g.noRoom(ctx, env, r.rest)
	}
	return closeErr == nil, closeErr
}

// full is what the go command says where it cannot write: none of it is the package's fault.
var full = regexp.MustCompile(`(?m)^.*(no space left on device|disk quota exceeded|not enough space on the disk|read-only file system)\.?$`)

// noRoom says what kept the go command from writing, nil for nothing. Where the disk of the build cache is full it may say
// something else altogether, as that a package is not in std.
func (g InPlace) noRoom(ctx context.Context, env []string, printed []byte) error {
	if line := full.Find(printed); line != nil {
		return errors.New(strings.TrimPrefix(string(line), "go: "))
	}
	cache, err := g.output(ctx, env, "env", "GOCACHE")
	if err != nil {
		return err
	}
	dir := strings.TrimSpace(string(cache))
	f, err := os.CreateTemp(dir, "checkalloc-*")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space left on the disk of Go's build cache, %s: make room there, or set GOCACHE to another folder", dir)
	}
	return nil
}
