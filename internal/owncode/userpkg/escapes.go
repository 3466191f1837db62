package userpkg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/escape"
)

// An EscapeReport is the compiler's report on Go files with -gcflags=-m. Each diagnostic has the flow that -m=2 prints
// for it.
type EscapeReport struct {
	Report
	Dir   string   // the folder of the files
	Files []string // the base names of the files that were compiled for it
}

// FileEscapes returns the escape report on the given files, which are all in one folder: each diagnostic of -m once,
// with the message of -m, and no others. Files that are not of the package in that folder are compiled as a package of
// their own. Diagnostic.File is a base name. The compiler gets gcflags too, such as -l, which turns off inlining.
func (c Config) FileEscapes(ctx context.Context, files []string, gcflags []string) (*EscapeReport, error) {
	dir := filepath.Join(c.Dir, filepath.Dir(files[0]))
	if filepath.IsAbs(files[0]) {
		dir = filepath.Dir(files[0])
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if filepath.Dir(file) != filepath.Dir(files[0]) {
			return nil, argumentErrorf("%s and %s are in different folders: name files of one package", files[0], file)
		}
		if info, err := os.Stat(filepath.Join(dir, filepath.Base(file))); err != nil || !info.Mode().IsRegular() {
			return nil, argumentErrorf("%s: no such file", file)
		}
		names = append(names, filepath.Base(file))
	}
	c.Dir = dir
	packages, err := c.List(ctx, ".")
	if err != nil && !errors.As(err, new(ArgumentError)) { // without a module there is no package, but there are files
		return nil, err
	}
	if len(packages) == 1 && packages[0].Error == nil {
		m := packages[0]
		outside := func(name string) bool { return !slices.Contains(m.Files(), name) }
		test := func(name string) bool { return slices.Contains(slices.Concat(m.TestGoFiles, m.XTestGoFiles), name) }
		if !slices.ContainsFunc(names, outside) {
			return c.escapesIn(ctx, &m, names, slices.ContainsFunc(names, test), gcflags)
		}
	}
	return c.escapesIn(ctx, &Metadata{Dir: dir}, names, false, gcflags)
}

// PackageEscapes is FileEscapes for the files of a package without its tests or, if it has no others, for its tests.
func (c Config) PackageEscapes(ctx context.Context, pattern string, gcflags []string) (*EscapeReport, error) {
	packages, err := c.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if err := single(packages, pattern); err != nil {
		return nil, err
	}
	m := packages[0]
	c.Dir, err = filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	// The go command runs in c.Dir and gets an import path, because the package may belong to another module.
	if names := slices.Concat(m.GoFiles, m.CgoFiles); len(names) > 0 {
		return c.escapesIn(ctx, &m, names, false, gcflags)
	}
	return c.escapesIn(ctx, &m, slices.Concat(m.TestGoFiles, m.XTestGoFiles), true, gcflags)
}

// escapesIn compiles a package, with its tests if tests is true, and returns the report on the named files. If m has no
// import path, the files are compiled as a package of their own.
func (c Config) escapesIn(ctx context.Context, m *Metadata, names []string, tests bool, gcflags []string) (
	*EscapeReport, error) {
	p := &Package{Metadata: *m, config: c, env: c.env()}
	if err := p.queryGo(ctx); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	// The temporary files are removed with the folder of the build even if the go command is killed.
	p.env = append(p.env, "GOTMPDIR="+work)
	gcflags = append(slices.Clone(gcflags), "-m=2")
	if p.Texts, err = p.read(names); err != nil {
		return nil, err
	}
	alone := p.ImportPath == ""
	var args []string
	if alone {
		if args, err = p.compileFiles(ctx, work, gcflags); err != nil {
			return nil, err
		}
	} else {
		// This compiles and does not link. GOFLAGS may contain -trimpath, with which the report would not have the paths
		// that are looked for in it.
		args = slices.Concat([]string{"list", "-export", "-trimpath=false", p.perPackage("gcflags", gcflags...)},
			c.buildFlags(), []string{fmt.Sprintf("-test=%t", tests), "--", p.ImportPath})
	}
	r := p.reportOf(work)
	if alone {
		// The report on files without a package is complete: it has diagnostics on code that the compiler generates, and
		// on generic functions of other packages.
		base := r.base
		r.base, r.inPackage = func(file string) string { return cmp.Or(base(file), p.shortName(file)) }, true
	}
	report := &EscapeReport{Dir: p.Dir, Files: names}
	if report.Report, err = c.report(ctx, p.env, r, args...); err != nil {
		return nil, fmt.Errorf("compile %s: %w", strings.Join(names, " "), err)
	}
	if report.OK { // a diagnostic that is not an error may be one that package escape does not know, as with -d=escapedebug=1
		for _, d := range report.Problems {
			if alone || slices.Contains(names, d.File) {
				report.Diagnostics = append(report.Diagnostics, d)
			}
		}
		report.Problems = nil
		slices.SortStableFunc(report.Diagnostics, escape.Compare)
	}
	report.Diagnostics = escape.Level1(report.Diagnostics)
	return report, nil
}

// compileFiles returns the arguments of a go command that runs the compiler on the texts' files. It writes into the
// folder work what the files import. The go command itself would refuse some files that belong to no package, because
// they have functions without a body, or import internal packages of the standard library.
func (p *Package) compileFiles(ctx context.Context, work string, gcflags []string) (args []string, err error) {
	text := "# the packages that are imported\n"
	if imports := p.imports(p.Texts); len(imports) > 0 {
		exports, err := p.config.exports(ctx, p.env, nil, imports)
		if err != nil {
			return nil, err
		}
		for path, export := range exports {
			text += "packagefile " + path + "=" + export.File + "\n"
		}
	}
	importcfg := filepath.Join(work, "importcfg")
	if err := os.WriteFile(importcfg, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args = []string{"tool", "compile", "-p=p", "-importcfg=" + importcfg, "-o", filepath.Join(work, "object")}
	if gomod, err := os.ReadFile(p.goMod); err == nil {
		if f, err := modfile.ParseLax("go.mod", gomod, nil); err == nil && f.Go != nil {
			args = append(args, "-lang="+version.Lang("go"+f.Go.Version))
		}
	}
	args = slices.Concat(args, p.toolFlags("gcflags", p.ImportPath), gcflags)
	for _, name := range slices.Sorted(maps.Keys(p.Texts)) {
		args = append(args, "./"+name)
	}
	return args, nil
}
