package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"onthestack/internal/verdict"
)

// A Prepared toolchain compiles and links the tests of a check by itself, against archives that were listed once: a check that
// is made again and again then takes half the time. What it cannot build so it gives to the go command, with the same verdict.
// It is for code that is the caller's own, and safe for concurrent use.
type Prepared struct {
	*Toolchain
	release  release
	tools    tools
	archives *archives
	files    []string // of the archives
	dir      string   // of what all builds share
}

// archiveFile finds the files that an importcfg names.
var archiveFile = regexp.MustCompile(`(?m)^packagefile [^=]+=(.+)$`)

// byDefault are the platforms on which the go command links by -buildmode=exe, as steps do.
var byDefault = []string{"linux", "freebsd", "netbsd", "openbsd"}

// Prepare compiles the packages of the standard library with those import paths into the caller's own build cache, and what checks
// need, and has them at hand. Close removes its folder.
func (t *Toolchain) Prepare(ctx context.Context, imports ...string) (_ *Prepared, err error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	p := &Prepared{Toolchain: t, release: r, archives: &archives{}}
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
	p.tools.dir, p.tools.limits, p.tools.flags = tools[0], t.limits, []string{"-s", "-w"}
	p.tools.env = append(t.environ(r, p.dir), "GOGC=off", "GOMEMLIMIT="+strconv.Itoa(toolMemory))
	sources, err := layTrusted(p.dir, imports)
	if err != nil {
		return nil, err
	}
	ctx, cancel := prepareLimits.deadline(ctx)
	defer cancel()
	o, err := prepareLimits.run(ctx, p.dir, t.environ(r, p.dir), "go", listArchives()...)
	if err != nil {
		return nil, err
	}
	if !o.ok {
		return nil, fmt.Errorf("compile the standard library: go list: %s%s", o.stopped, hidePaths(o.output, p.dir, r.goroot))
	}
	if p.archives, err = readArchives(string(o.output)); err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	p.archives.harness = sources
	p.archives.allow(imports)
	for _, line := range archiveFile.FindAllSubmatch(p.archives.text, -1) {
		p.files = append(p.files, string(line[1]))
	}
	return p, p.archives.write(p.dir)
}

// Close removes the folder that Prepare made.
func (p *Prepared) Close() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// BuildTest implements verdict.Builder.
func (p *Prepared) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	u, ok := p.archives.testUnit(src)
	if !ok || !p.complete() {
		return p.Toolchain.BuildTest(ctx, src)
	}
	dir, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	b := &verdict.Build{Go: p.release.version, GOOS: p.goos, GOARCH: p.goarch, Close: func() error { return os.RemoveAll(dir) }}
	ctx, cancel := p.limits.deadline(ctx)
	defer cancel()
	s := p.tools.begin(dir, filepath.Join(dir, moduleDir), u.archives, nil)
	binary := filepath.Join(dir, "program")
	s.test(ctx, src, u, binary)
	if s.err != nil {
		b.Close()
		return nil, s.err
	}
	b.OK, b.Stopped, b.Output = s.outcome.ok, s.outcome.stopped, hidePaths(s.outcome.output, dir, p.release.goroot)
	if b.OK {
		b.Binary = binary
	}
	return b, nil
}

// complete reports whether all archives are still there: the go command removes from its cache what was not used for days.
func (p *Prepared) complete() bool {
	return !slices.ContainsFunc(p.files, func(name string) bool {
		_, err := os.Stat(name)
		return err != nil
	})
}
