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
var limits = build.Limits{Time: 15 * time.Minute,
	ProcessLimits: execution.ProcessLimits{Memory: 8 << 30, CPU: 15 * time.Minute, File: 4 << 30}}

// A Compilation is what was compiled of a package and, if it has benchmarks, linked.
type Compilation struct {
	Report
	Binary string // the program that measures the benchmarks; "" if there are none
	// Benchmarks are the names of the benchmark functions, if Compile was asked to measure them.
	Benchmarks []string
	// Instances are the diagnostics on generic functions of other packages that the package instantiates.
	Instances []Instance

	// Estimated is why the program is linked with the standard library as it is: calls of timers are then found by name,
	// and the counts of tiny objects are estimates. It is "" if the program is linked with the archives of
	// standardArchives.
	Estimated string

	dir   string
	added []string // prefixes of the names of the files that measure
}

// A Report is what the go command and the compiler say of a package. Files are named by base name.
type Report struct {
	OK bool // it compiles
	// Diagnostics are the compiler's diagnostics on the package's files, in source order.
	Diagnostics []escape.Diagnostic
	// If OK is false, Problems are the errors with a position, and Lines the errors without one.
	Problems []escape.Diagnostic
	Lines    []string
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
// the same build links the program that measures them. A mistake in the package is in p.Built; it is not an error.
func (p *Package) Compile(ctx context.Context, measure bool) error {
	return p.build(ctx, measure, p.perPackage("gcflags", "-m=2"))
}

// Build is Compile with measure and without the escape report, which takes longer. The package can then be measured and
// not explained.
func (p *Package) Build(ctx context.Context) error { return p.build(ctx, true) }

func (p *Package) build(ctx context.Context, measure bool, flags ...string) error {
	dir, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return err
	}
	c := &Compilation{dir: dir}
	if err := p.compile(ctx, c, measure, flags); err != nil {
		return errors.Join(err, removeAll(dir))
	}
	p.Built = c
	return nil
}

func (p *Package) compile(ctx context.Context, c *Compilation, measure bool, flags []string) error {
	if measure && p.GOOS != runtime.GOOS {
		return argumentErrorf("GOOS=%s is set, and programs for it do not run on %s: unset GOOS, or measure nothing "+
			"with --bench '^$'", p.GOOS, runtime.GOOS)
	}
	if err := os.Mkdir(filepath.Join(c.dir, "tmp"), 0o700); err != nil {
		return err
	}
	env := append(slices.Clone(p.env), "GOTMPDIR="+filepath.Join(c.dir, "tmp"))
	args := []string{"list", "-export"} // this compiles and does not link
	o := p.overlay(c.dir)
	if measure {
		request, err := p.layMeasuring(ctx, c, o)
		if err != nil {
			return err
		}
		switch {
		case len(c.Benchmarks) > 0:
			c.Binary = p.program(c.dir)
			args = []string{"test", "-c", "-vet=off", p.perPackage("ldflags", "-s", "-w"), "-o", c.Binary}
			if request.Archives != nil {
				flag, variable, err := request.toolexec()
				if err != nil {
					return err
				}
				args, env = append(args, flag), append(env, variable)
			}
		case p.unparsable():
			// A file that does not parse may have benchmarks. The go command reports the syntax error.
			args = []string{"test", "-c", "-vet=off", "-o", p.program(c.dir)}
		}
	}
	overlaid, err := o.flag()
	if err != nil {
		return err
	}
	args = slices.Concat(args, overlaid, p.config.buildFlags(), flags, []string{p.ImportPath})
	r := p.reportOf(c.dir)
	r.flows = maxFlows
	if c.Report, err = p.config.report(ctx, env, r, args...); err != nil {
		return fmt.Errorf("build %s: %w", p.ImportPath, err)
	}
	c.Instances = r.instantiated()
	for i, line := range c.Lines { // a compiler or a linker that panics names folders of this machine
		c.Lines[i] = string(p.hidePaths(c.dir, []byte(line)))
	}
	if !c.OK {
		c.Binary = ""
	}
	return nil
}

// program returns the name of the program that is built in a folder.
func (p *Package) program(dir string) string {
	if p.GOOS == "windows" {
		return filepath.Join(dir, "program.exe")
	}
	return filepath.Join(dir, "program")
}

// buildFolder begins the names of the temporary folders of builds.
const buildFolder = "checkalloc-build-"

// overlayDir is the folder of a build with the files that replace files of the package, or are added to it.
const overlayDir = "overlay"

// unparsable reports whether a test file of the package does not parse.
func (p *Package) unparsable() bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", p.Texts[name], parser.SkipObjectResolution)
		return err != nil
	})
}

// layMeasuring adds the files that measure the package's benchmarks to an overlay. It returns what to change when the
// program is linked, and sets c.Benchmarks, c.Estimated and c.added. A package without benchmarks gets none of these
// files.
func (p *Package) layMeasuring(ctx context.Context, c *Compilation, o *overlay) (request toolRequest, err error) {
	if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		return request, nil
	}
	at, importPath := p.unusedFolder()
	f := harness.UserPackage{Name: p.Name, Files: p.Texts, Tests: p.TestGoFiles, XTests: p.XTestGoFiles, Hooked: true}
	added, benchmarks := f.Overlay(importPath)
	if len(benchmarks) == 0 {
		return request, nil
	}
	if request.Archives, err = p.standard.get(ctx, p); err != nil {
		if ctx.Err() != nil {
			return request, context.Cause(ctx)
		}
		c.Estimated = string(p.hidePaths(c.dir, []byte(err.Error())))
		f.Hooked = false
		added, benchmarks = f.Overlay(importPath)
	}
	packages, err := harness.OverlayPackages(importPath)
	if err != nil {
		return request, err
	}
	c.Benchmarks, c.added = benchmarks, []string{at, importPath}
	for name, text := range added {
		if harness.Added(name) {
			c.added = append(c.added, filepath.Join(p.Dir, name), path.Join(p.ImportPath, name))
		}
		o.lay(filepath.Join(p.Dir, name), name, text)
	}
	for name, text := range packages {
		o.lay(filepath.Join(at, filepath.FromSlash(name)), "harness/"+name, text)
	}
	return request, nil
}

// An overlay is a set of files that the go command reads in place of others, or in addition to them.
type overlay struct {
	dir     string            // of the build
	replace map[string]string // the file that is read, by the file that it replaces
	err     error             // the first failure to write a file
}

// overlay returns an overlay of the files with other text, for a build in the folder dir.
func (p *Package) overlay(dir string) *overlay {
	o := &overlay{dir: dir, replace: map[string]string{}}
	for name, text := range p.edited {
		o.lay(filepath.Join(p.Dir, name), name, text)
	}
	return o
}

// lay adds a file with the given text, which replaces the file real. The name is relative to the overlay's folder.
func (o *overlay) lay(real, name string, text []byte) {
	o.replace[real] = filepath.Join(o.dir, overlayDir, filepath.FromSlash(name))
	o.write(o.replace[real], text)
}

func (o *overlay) write(name string, text []byte) {
	o.err = cmp.Or(o.err, os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, text, 0o600))
}

// flag returns the flag with which the go command reads the overlay, none if there are no files.
func (o *overlay) flag() (flags []string, err error) {
	if len(o.replace) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(map[string]any{"Replace": o.replace})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(o.dir, "overlay.json")
	o.write(name, text)
	if o.err != nil {
		return nil, fmt.Errorf("write the files of the overlay: %w", o.err)
	}
	return []string{"-overlay=" + name}, nil
}

// unusedFolder returns a folder of the module that does not exist, in which the harness's packages appear to be, and
// its import path.
func (p *Package) unusedFolder() (dir, importPath string) {
	root, base := p.Module.Dir, p.Module.Path
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

// report runs the go command within limits, and returns the report that it prints to r. The error is a failure of ours.
func (c Config) report(ctx context.Context, env []string, r *reportWriter, args ...string) (Report, error) {
	ctx, cancel := limits.WithTimeout(ctx)
	defer cancel()
	cmd := execution.Command(ctx, limits.ProcessLimits, c.Dir, slices.Concat(os.Environ(), env), "go", args...)
	cmd.Stderr = r
	cmd.Stdout = io.Discard
	if args[0] != "list" {
		cmd.Stdout = r
	}
	runErr := cmd.Run()
	r.finish()
	printed := slices.Concat([]byte(strings.Join(r.lines, "\n")+"\n"), r.rest)
	stop, err := limits.Stop(ctx, runErr, printed)
	if err == nil && runErr != nil && stop.Kind == execution.NotStopped {
		err = c.diskError(ctx, env, r.rest)
	}
	if err != nil {
		return Report{}, err
	}
	if stop.Kind != execution.NotStopped { // the output is the compiler's own stack, or is incomplete
		return Report{Diagnostics: []escape.Diagnostic{}, Lines: []string{"the build " + stop.String()}}, nil
	}
	report := r.result()
	report.OK = runErr == nil
	return report, nil
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
