package userpkg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
)

// InModule reports whether the import path is of another package of the same module.
func (p *Package) InModule(importPath string) bool {
	return p.Module.Path != "" && importPath != p.ImportPath && importPath != p.ImportPath+"_test" &&
		(importPath == p.Module.Path || strings.HasPrefix(importPath, p.Module.Path+"/"))
}

// Others compiles packages without their tests, which the package calls, with the compiler's escape report. Their
// imports, which it returns too, are compiled already, without a report. Packages that cannot be compiled or read are
// left out.
func (p *Package) Others(ctx context.Context, importPaths []string) (others []*Package, exports Exports, err error) {
	work, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return nil, nil, err
	}
	defer removeAll(work)
	ctx, cancel := limits.WithTimeout(ctx)
	defer cancel()
	args := slices.Concat([]string{"list", "-e", "-export", "-deps", listFields + ",Export,DepOnly"},
		p.forOthers("gcflags", importPaths, "-m=2"), p.config.buildFlags(), []string{"--"}, importPaths)
	cmd := execution.Command(ctx, limits.ProcessLimits, p.config.Dir,
		slices.Concat(os.Environ(), p.env, []string{"GOTMPDIR=" + work}), "go",
		args...)
	listed := &bytes.Buffer{}
	printed := &execution.Buffer{Meter: &execution.Meter{Left: maxOther * len(importPaths), Full: func() {}}}
	cmd.Stdout, cmd.Stderr = listed, printed
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	type compiled struct {
		Metadata
		Export  string
		DepOnly bool
	}
	all, err := gocommand.Packages[compiled](listed)
	if err != nil {
		return nil, nil, err
	}
	reports := map[string][]byte{} // by import path
	for section := range bytes.SplitSeq(append([]byte("\n"), printed.Bytes()...), []byte("\n# ")) {
		path, report, _ := bytes.Cut(section, []byte("\n"))
		reports[string(bytes.TrimSpace(path))] = report
	}
	exports = Exports{}
	for _, m := range all {
		if m.Export != "" {
			exports[m.ImportPath] = Export{m.Name, m.Export}
		}
		o := &Package{Metadata: m.Metadata, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, config: p.config, goroot: p.goroot,
			modCache: p.modCache}
		o.TestGoFiles, o.XTestGoFiles = nil, nil
		if m.DepOnly || m.Error != nil || o.readTexts() != nil {
			continue
		}
		r := o.reportOf(filepath.Join(work, "none"))
		r.inPackage = true
		r.Write(reports[m.ImportPath])
		r.finish()
		o.Built = &Compilation{Report: r.result(), Instances: r.instantiated()}
		others = append(others, o)
	}
	return others, exports, nil
}

// Reports compiles packages as Others does: without their tests, without linking a program, and with the compiler's
// escape report. Flags of the compiler without a pattern are for the package main.
func (c Config) Reports(ctx context.Context, main string, importPaths []string) ([]*Package, Exports, error) {
	p := &Package{Metadata: Metadata{ImportPath: main}, config: c, env: c.env()}
	if err := p.queryGo(ctx); err != nil {
		return nil, nil, err
	}
	return p.Others(ctx, importPaths)
}

// TestReport compiles a package with its tests and without linking a program, with the compiler's escape report. It
// also returns what the files import. The package must be closed.
func (c Config) TestReport(ctx context.Context, importPath string) (_ *Package, exports Exports, err error) {
	p, err := c.Load(ctx, importPath)
	if err != nil {
		return nil, nil, err
	}
	work, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	defer func() {
		if err = errors.Join(err, removeAll(work)); err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	r := p.reportOf(work)
	r.flows = maxFlows
	built := &Compilation{}
	args := slices.Concat([]string{"list", "-export", "-test", p.perPackage("gcflags", "-m=2")}, p.config.buildFlags(),
		[]string{"--", p.ImportPath})
	if built.Report, err = p.config.report(ctx, append(slices.Clone(p.env), "GOTMPDIR="+work), r, args...); err != nil {
		return nil, nil, fmt.Errorf("compile the tests of %s: %w", p.ImportPath, err)
	}
	built.Instances = r.instantiated()
	p.Built = built
	exports, err = p.Exports(ctx, p.Texts)
	return p, exports, err
}

// maxOther bounds the report on other packages, in bytes for each.
const maxOther = 64 << 20
