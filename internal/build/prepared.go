package build

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// A Prepared toolchain compiles and links the tests of a check by itself, against archives that were listed once: a check that
// is made again and again then takes half the time. What it cannot build so it gives to the go command, with the same verdict.
// It is for code that is the caller's own, and safe for concurrent use.
type Prepared struct {
	*Toolchain
	release  release
	tools    tools
	archives *compilelink.Archives
	files    []string // of the archives
	dir      string   // of what all builds share
}

// byDefault are the platforms on which the go command links by -buildmode=exe, as package direct does.
var byDefault = []string{"linux", "freebsd", "netbsd", "openbsd"}

// Prepare compiles the packages of the standard library with those import paths into the caller's own build cache, and what checks
// need, and has them at hand. Close removes its folder.
func (t *Toolchain) Prepare(ctx context.Context, imports ...string) (_ *Prepared, err error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	p := &Prepared{Toolchain: t, release: r, archives: &compilelink.Archives{}}
	if !slices.Contains(byDefault, t.goos) {
		return p, nil
	}
	if p.dir, err = os.MkdirTemp("", "checkalloc-prepared-"); err != nil {
		return nil, fmt.Errorf("make a folder for the standard library's list: %w", err)
	}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	tools, err := goEnv(t.inherited(), "GOTOOLDIR")
	if err != nil {
		return nil, err
	}
	p.tools.dir, p.tools.limits = tools[0], t.limits
	p.tools.env = append(t.environ(r, p.dir), "GOGC=off", "GOMEMLIMIT="+strconv.Itoa(toolMemory))
	if err := layTrusted(p.dir, imports); err != nil {
		return nil, err
	}
	ctx, cancel := prepareLimits.WithTimeout(ctx)
	defer cancel()
	o, err := prepareLimits.run(ctx, p.dir, t.environ(r, p.dir), "go", compilelink.ListArguments()...)
	if err != nil {
		return nil, err
	}
	if !o.OK {
		return nil, fmt.Errorf("compile the standard library: go list: %s%s", o.Stop, hidePaths(o.Output, p.dir, r.goroot))
	}
	var listed list
	if listed.packages, listed.godebug, err = compilelink.ReadList(string(o.Output)); err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	for _, pkg := range listed.packages {
		p.files = append(p.files, pkg.Archive)
	}
	p.archives, err = listed.archives(p.dir, imports)
	return p, err
}

// Close removes the folder that Prepare made.
func (p *Prepared) Close() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// BuildTest implements verdict.Builder.
func (p *Prepared) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	plan, ok := p.plan(src)
	if !ok || !p.complete() {
		return p.Toolchain.BuildTest(ctx, src)
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	b := &execution.Build{Go: p.release.version, GOOS: p.goos, GOARCH: p.goarch, Close: func() error { return os.RemoveAll(dir) }}
	ctx, cancel := p.limits.WithTimeout(ctx)
	defer cancel()
	m := machine{p.tools, dir}
	o, err := plan.Build(ctx, m)
	if err != nil {
		b.Close()
		return nil, err
	}
	b.OK, b.Stop, b.Output = o.OK, o.Stop, hidePaths(o.Output, dir, p.release.goroot)
	if b.OK {
		b.Binary = m.Path(compilelink.Binary)
	}
	return b, nil
}

// plan plans the build of the test binary of src, without the go command; false where it cannot be.
func (p *Prepared) plan(src execution.Source) (compilelink.TestPlan, bool) {
	t := compilelink.Toolchain{Go: goVersion(p.release.version), GOOS: p.goos, GOARCH: p.goarch, Archives: p.archives, LinkFlags: []string{"-s", "-w"}, Concurrency: concurrency()}
	return t.Test(src)
}

// complete reports whether all archives are still there: the go command removes from its cache what was not used for days.
func (p *Prepared) complete() bool {
	return !slices.ContainsFunc(p.files, func(name string) bool {
		_, err := os.Stat(name)
		return err != nil
	})
}
