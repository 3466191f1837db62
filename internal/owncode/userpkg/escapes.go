package userpkg

import (
	"context"
	"errors"
	"fmt"
	"go/version"
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
	OK          bool
	Dir         string   // the folder of the files
	Files       []string // the base names of the files that were compiled for it
	Diagnostics []escape.Diagnostic
	Problems    []escape.Diagnostic // errors with a position, if it is not OK; Lines are errors without one
	Lines       []string
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
		tests := slices.Concat(m.TestGoFiles, m.XTestGoFiles)
		all := m.Files()
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(all, n) }) {
			inTests := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(tests, n) })
			return c.escapesIn(ctx, &m, names, inTests, gcflags)
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
	p := &Package{config: c, env: c.env()}
	p.describe(m)
	if err := p.queryGo(ctx); err != nil {
		return nil, err
	}
	work, err := newBuildFolder()
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	// The temporary files are removed with the folder of the build even if the go command is killed.
	p.env = append(p.env, "GOTMPDIR="+work)
	gcflags = append(slices.Clone(gcflags), "-m=2")
	alone := p.ImportPath == ""
	var args []string
	if alone {
		args, err = p.compileFiles(ctx, work, names, gcflags)
		if err != nil {
			return nil, err
		}
	} else {
		// This compiles and does not link. GOFLAGS may contain -trimpath, with which the report would not have the paths
		// that are looked for in it.
		args = slices.Concat([]string{"list", "-export", "-trimpath=false", p.perPackage("gcflags", gcflags...)},
			c.buildFlags(), []string{fmt.Sprintf("-test=%t", tests), "--", p.ImportPath})
	}
	r := newReport([]string{p.ImportPath, p.ImportPath + "_test"}, func(file string) string {
		for _, full := range p.absolute(file) {
			if dir, name := filepath.Split(full); filepath.Clean(dir) == p.Dir && slices.Contains(names, name) {
				return name
			}
		}
		// The report on files without a package is complete: it has diagnostics on code that the compiler generates, and
		// on generic functions of other packages.
		if alone {
			return p.shortName(file)
		}
		return ""
	}, p.shortName)
	r.inPackage = alone
	report := &EscapeReport{Dir: p.Dir, Files: names}
	if report.OK, err = c.report(ctx, p.env, r, args...); err != nil {
		return nil, fmt.Errorf("compile %s: %w", strings.Join(names, " "), err)
	}
	report.Diagnostics, report.Problems, report.Lines = r.result()
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

// compileFiles returns the arguments of a go command that runs the compiler on files of the folder. It writes into the
// folder work what the files import. The go command itself would refuse some files that belong to no package, because
// they have functions without a body, or import internal packages of the standard library.
func (p *Package) compileFiles(ctx context.Context, work string, names, gcflags []string) (args []string, err error) {
	importcfg := filepath.Join(work, "importcfg")
	language, err := p.importcfg(ctx, importcfg, names)
	if err != nil {
		return nil, err
	}
	args = []string{"tool", "compile", "-p=p", "-importcfg=" + importcfg, "-o", filepath.Join(work, "object")}
	if language != "" {
		args = append(args, "-lang="+language)
	}
	args = slices.Concat(args, p.toolFlags("gcflags", p.ImportPath), gcflags)
	for _, name := range names {
		args = append(args, "./"+name)
	}
	return args, nil
}

// importcfg writes the file that names the compiled packages which the named files import. It returns the language
// version of their module, "" if they have none.
func (p *Package) importcfg(ctx context.Context, to string, names []string) (language string, err error) {
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(filepath.Join(p.Dir, name)); err != nil {
			return "", err
		}
	}
	text := []byte("# the packages that are imported\n")
	if imports := p.imports(files); len(imports) > 0 {
		const format = "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"
		args := slices.Concat([]string{"list", "-export", "-deps", "-f", format}, p.config.buildFlags(), []string{"--"},
			imports)
		out, err := p.config.output(ctx, p.env, args...)
		if err != nil {
			return "", err
		}
		text = append(text, out...)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return "", err
	}
	if gomod, err := os.ReadFile(p.goMod); err == nil {
		if f, err := modfile.ParseLax("go.mod", gomod, nil); err == nil && f.Go != nil {
			return version.Lang("go" + f.Go.Version), nil
		}
	}
	return "", nil
}
