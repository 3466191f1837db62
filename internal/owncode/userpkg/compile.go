package userpkg

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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// limits bound the build of a package and its dependencies. They protect the machine, and leave room for the
// largest programs. There is no limit on output, because a reportWriter parses the output as it is printed.
var limits = build.Limits{Time: 15 * time.Minute, Memory: 8 << 30, CPU: 15 * time.Minute, File: 4 << 30}

// A Compilation is a package that was compiled and, if it has benchmarks, linked. Close removes its files.
type Compilation struct {
	OK     bool
	Binary string // the program that measures the benchmarks; "" if there are none
	// Benchmarks are the names of the benchmark functions, if Compile was asked to measure them.
	Benchmarks []string
	// Diagnostics are the compiler's diagnostics on the package's files, tests included, in source order. Files are
	// named by base name.
	Diagnostics []escape.Diagnostic
	// Instances are the diagnostics on generic functions of other packages that the package instantiates.
	Instances []Instance
	// If OK is false, Problems are the errors with a position, and Lines the errors without one.
	Problems []escape.Diagnostic
	Lines    []string

	// Estimated is why the program is linked with the standard library as it is: calls of timers are then found by name,
	// and the counts of tiny objects are estimates. It is "" if the program is linked with the archives of
	// standardArchives.
	Estimated string

	dir   string
	added []string // prefixes of the names of the files that measure
}

// Close removes the files of the build.
func (c *Compilation) Close() error { return removeAll(c.dir) }

// newBuildFolder makes a temporary folder for a build.
func newBuildFolder() (string, error) {
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the build: %w", err)
	}
	return dir, nil
}

// removeAll removes the folder of a build. It tries again for a moment, because a compiler that was killed may still
// write.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// Compile compiles the package with the compiler's escape report. If measure is true and the package has benchmarks,
// the same build links the program that measures them. A mistake in the package is in the result; it is not an error.
func (p *Package) Compile(ctx context.Context, measure bool) (*Compilation, error) {
	return p.compileWith(ctx, measure, p.perPackage("gcflags", "-m=2"))
}

// Build is Compile with measure and without the escape report.
func (p *Package) Build(ctx context.Context) (*Compilation, error) { return p.compileWith(ctx, true) }

func (p *Package) compileWith(ctx context.Context, measure bool, flags ...string) (*Compilation, error) {
	dir, err := newBuildFolder()
	if err != nil {
		return nil, err
	}
	c := &Compilation{dir: dir}
	if err := p.compile(ctx, c, measure, flags); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (p *Package) compile(ctx context.Context, c *Compilation, measure bool, flags []string) error {
	files, err := p.Files()
	if err != nil {
		return err
	}
	if measure && p.GOOS != runtime.GOOS {
		return argumentErrorf("GOOS=%s is set, and programs for it do not run on %s: unset GOOS, or measure nothing "+
			"with --bench '^$'", p.GOOS, runtime.GOOS)
	}
	edited, err := p.editedOverlay(c.dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(c.dir, "tmp"), 0o700); err != nil {
		return err
	}
	env := append(slices.Clone(p.env), "GOTMPDIR="+filepath.Join(c.dir, "tmp"))
	args := append([]string{"list", "-export"}, edited...) // this compiles and does not link
	if measure {
		overlay, request, err := p.overlay(ctx, c, files)
		if err != nil {
			return err
		}
		program := filepath.Join(c.dir, "program")
		if p.GOOS == "windows" {
			program += ".exe"
		}
		switch {
		case len(c.Benchmarks) > 0:
			c.Binary = program
			args = []string{
				"test", "-c", "-vet=off", p.perPackage("ldflags", "-s", "-w"), "-overlay=" + overlay, "-o", program,
			}
			if request.Archives != nil {
				flag, variable, err := request.toolexec()
				if err != nil {
					return err
				}
				args, env = append(args, flag), append(env, variable)
			}
		case p.unparsable(files):
			// A file that does not parse may have benchmarks. The go command reports the syntax error.
			args = slices.Concat([]string{"test", "-c", "-vet=off", "-o", program}, edited)
		}
	}
	args = slices.Concat(args, p.config.buildFlags(), flags, []string{p.ImportPath})
	r := p.reportOf(c.dir, files)
	r.flows = maxFlows
	if c.OK, err = p.config.report(ctx, env, r, args...); err != nil {
		return fmt.Errorf("build %s: %w", p.ImportPath, err)
	}
	c.Diagnostics, c.Problems, c.Lines = r.result()
	if c.Instances, err = r.instantiated(); err != nil {
		return err
	}
	for i, line := range c.Lines { // a compiler or a linker that panics names folders of this machine
		c.Lines[i] = string(p.hidePaths(c, []byte(line)))
	}
	if !c.OK {
		c.Binary = ""
	}
	return nil
}

// overlayDir is the folder of a build with the files that replace files of the package, or are added to it.
const overlayDir = "overlay"

// unparsable reports whether a test file of the package does not parse.
func (p *Package) unparsable(files map[string][]byte) bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", files[name], parser.SkipObjectResolution)
		return err != nil
	})
}

// overlay writes into the folder of c the files that measure the package's benchmarks, and the file for the -overlay
// flag that adds them to the package. It returns the name of that file and what to change when the program is linked,
// and sets c.Benchmarks, c.Estimated and c.added. A package without benchmarks gets none of these files.
func (p *Package) overlay(ctx context.Context, c *Compilation, files map[string][]byte) (
	name string, request toolRequest, err error) {
	if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		return "", request, nil
	}
	at, importPath := p.unusedFolder()
	f := harness.UserPackage{Name: p.Name, Files: files, Tests: p.TestGoFiles, XTests: p.XTestGoFiles, Hooked: true}
	added, benchmarks := f.Overlay(importPath)
	if len(benchmarks) == 0 {
		return "", request, nil
	}
	if request.Archives, err = p.standard.get(ctx, p); err != nil {
		if ctx.Err() != nil {
			return "", request, context.Cause(ctx)
		}
		c.Estimated = string(p.hidePaths(c, []byte(err.Error())))
		f.Hooked = false
		added, benchmarks = f.Overlay(importPath)
	}
	packages, err := harness.OverlayPackages(importPath)
	if err != nil {
		return "", request, err
	}
	c.Benchmarks, c.added = benchmarks, []string{at, importPath}
	o := overlay{dir: c.dir, replace: map[string]string{}}
	for name, text := range p.edited {
		err = cmp.Or(err, o.lay(filepath.Join(p.Dir, name), name, text))
	}
	for name, text := range added {
		if harness.Added(name) {
			c.added = append(c.added, filepath.Join(p.Dir, name), path.Join(p.ImportPath, name))
		}
		err = cmp.Or(err, o.lay(filepath.Join(p.Dir, name), name, text))
	}
	for name, text := range packages {
		err = cmp.Or(err, o.lay(filepath.Join(at, filepath.FromSlash(name)), "harness/"+name, text))
	}
	if err != nil {
		return "", request, fmt.Errorf("write the files that measure: %w", err)
	}
	name, err = o.write()
	return name, request, err
}

// An overlay is a set of files that the go command reads in place of others, or in addition to them.
type overlay struct {
	dir     string            // of the build
	replace map[string]string // the file that is read, by the file that it replaces
}

// lay adds a file with the given text, which replaces the file real. The name is relative to the overlay's folder.
func (o overlay) lay(real, name string, text []byte) error {
	to := filepath.Join(o.dir, overlayDir, filepath.FromSlash(name))
	o.replace[real] = to
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600))
}

// write writes the file for the -overlay flag, and returns its name.
func (o overlay) write() (name string, err error) {
	text, err := json.Marshal(map[string]any{"Replace": o.replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(o.dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// editedOverlay writes an overlay of the files with other text alone. It returns the flag for it, none if there are no
// such files.
func (p *Package) editedOverlay(dir string) (flags []string, err error) {
	if len(p.edited) == 0 {
		return nil, nil
	}
	o := overlay{dir: dir, replace: map[string]string{}}
	for name, text := range p.edited {
		err = cmp.Or(err, o.lay(filepath.Join(p.Dir, name), name, text))
	}
	if err != nil {
		return nil, err
	}
	name, err := o.write()
	return []string{"-overlay=" + name}, err
}

// unusedFolder returns a folder of the module that does not exist, in which the harness's packages appear to be, and
// its import path.
func (p *Package) unusedFolder() (dir, importPath string) {
	root, base := p.ModuleDir, p.ModulePath
	if root == "" { // a package of the standard library
		root, base = filepath.Join(p.goroot, "src"), ""
	}
	// A folder with a go.mod is not part of the module.
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

// report runs the go command within limits, and writes its output to r. It reports whether the command succeeded. The
// error is a failure of ours.
func (c Config) report(ctx context.Context, env []string, r *reportWriter, args ...string) (ok bool, err error) {
	ctx, cancel := limits.WithTimeout(ctx)
	defer cancel()
	cmd := limits.Command(ctx, c.Dir, slices.Concat(os.Environ(), env), "go", args...)
	cmd.Stderr = r
	cmd.Stdout = io.Discard
	if args[0] != "list" {
		cmd.Stdout = r
	}
	runErr := cmd.Run()
	r.finish()
	printed := slices.Concat([]byte(strings.Join(r.lines, "\n")+"\n"), r.rest)
	if r.stop, err = limits.Stop(ctx, runErr, printed); err != nil || r.stop.Kind != execution.NotStopped {
		return false, err
	}
	if runErr != nil {
		return false, c.diskError(ctx, env, r.rest)
	}
	return true, nil
}

// diskFull matches messages of a go command that cannot write to the disk, which is not a mistake in the package.
var diskFull = regexp.MustCompile(
	`(?m)^.*(no space left on device|disk quota exceeded|not enough space on the disk|read-only file system)\.?$`,
)

// diskError returns the error that kept the go command from writing to the disk, nil for none. If the disk of the build
// cache is full, the go command may report something else, such as that a package is not in std.
func (c Config) diskError(ctx context.Context, env []string, printed []byte) error {
	if line := diskFull.Find(printed); line != nil {
		return errors.New(strings.TrimPrefix(string(line), "go: "))
	}
	settings, err := c.settings(ctx, env, "GOCACHE")
	if err != nil {
		return err
	}
	dir := settings["GOCACHE"]
	f, err := os.CreateTemp(dir, "checkalloc-*")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf(
			"no space left on the disk of Go's build cache, %s: make room there, or set GOCACHE to another folder",
			dir,
		)
	}
	return nil
}
