package userpkg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

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
		p := packages[0]
		plain, tests := slices.Concat(p.GoFiles, p.CgoFiles), slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		both := slices.Concat(plain, tests)
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(both, n) }) {
			inTests := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(tests, n) })
			return c.escapesIn(ctx, compiledFiles{dir: dir, pkg: &p, names: names, tests: inTests, gcflags: gcflags})
		}
	}
	return c.escapesIn(ctx, compiledFiles{dir: dir, names: names, gcflags: gcflags})
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
	p := packages[0]
	c.Dir, err = filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	// The go command runs in c.Dir and gets an import path, because the package may belong to another module.
	files := compiledFiles{dir: p.Dir, pkg: &p, names: slices.Concat(p.GoFiles, p.CgoFiles), gcflags: gcflags}
	if len(files.names) == 0 {
		files.names, files.tests = slices.Concat(p.TestGoFiles, p.XTestGoFiles), true
	}
	return c.escapesIn(ctx, files)
}

// compiledFiles are the files of a folder on which the compiler reports.
type compiledFiles struct {
	dir     string
	pkg     *Metadata // their package, nil if they are compiled as a package of their own
	names   []string  // their base names
	tests   bool      // some of them are tests
	gcflags []string
}

// escapesIn compiles the package of the files, or if they have none the files, and returns the report on them.
func (c Config) escapesIn(ctx context.Context, files compiledFiles) (*EscapeReport, error) {
	p := &Package{config: c, Dir: files.dir, env: c.env()}
	if m := files.pkg; m != nil {
		p.ImportPath = m.ImportPath
		if m.Module != nil {
			p.ModulePath, p.ModuleDir, p.GoVersion = m.Module.Path, m.Module.Dir, m.Module.GoVersion
		}
	}
	if err := p.queryGo(ctx); err != nil {
		return nil, err
	}
	if files.pkg == nil {
		p.config.Dir = files.dir // the compiler runs in the folder, without the go command
	}
	plain, explained, ok, err := p.compileFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	report := &EscapeReport{OK: ok, Dir: files.dir, Files: files.names}
	report.Diagnostics, report.Problems, report.Lines = plain.result()
	if ok { // a diagnostic that is not an error may be one that package escape does not know, as with -d=escapedebug=1
		for _, d := range report.Problems {
			if files.pkg == nil || slices.Contains(files.names, d.File) {
				report.Diagnostics = append(report.Diagnostics, d)
			}
		}
		report.Problems = nil
		slices.SortStableFunc(report.Diagnostics, inOrder)
	}
	withFlows, _, _ := explained.result()
	addFlows(report.Diagnostics, withFlows)
	return report, nil
}

// compileFiles compiles the files with -m and with -m=2, in a temporary folder. ok is whether they compile.
func (p *Package) compileFiles(ctx context.Context, files compiledFiles) (
	plain, explained *reportWriter, ok bool, err error,
) {
	work, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, nil, false, fmt.Errorf("make a folder for the build: %w", err)
	}
	defer removeAll(work)
	// The temporary files are removed with the folder of the build even if the go command is killed.
	env := append(slices.Clone(p.env), "GOTMPDIR="+work)
	command, alone, err := p.escapeCommand(ctx, work, env, files)
	if err != nil {
		return nil, nil, false, err
	}
	c := p.config
	if alone {
		c.Dir = files.dir
	}
	paths := []string{p.ImportPath, p.ImportPath + "_test"}
	base := func(file string) string { return p.reportedName(files, file) }
	return compileTwice(func(m string) (*reportWriter, bool, error) {
		r := newReport(paths, base, p.shortName)
		r.own = alone
		ok, err := c.report(ctx, env, r, command(m)...)
		if err != nil {
			err = fmt.Errorf("compile %s: %w", strings.Join(files.names, " "), err)
		}
		return r, ok, err
	})
}

// reportedName returns the name that a file of a diagnostic has in the report, "" if the report leaves it out. The
// report on files without a package is complete: it has diagnostics on code that the compiler generates, and on generic
// functions of other packages.
func (p *Package) reportedName(files compiledFiles, file string) string {
	for _, full := range p.absolute(file) {
		if d, name := filepath.Split(full); filepath.Clean(d) == files.dir && slices.Contains(files.names, name) {
			return name
		}
	}
	if files.pkg == nil {
		return p.shortName(file)
	}
	return ""
}

// compileTwice calls compile for the diagnostics of -m and, at the same time, for the diagnostics of -m=2.
func compileTwice(compile func(m string) (r *reportWriter, ok bool, err error)) (
	plain, explained *reportWriter, ok bool, err error,
) {
	var explaining sync.WaitGroup
	var explainErr error
	explaining.Go(func() { explained, _, explainErr = compile("-m=2") })
	plain, ok, err = compile("-m")
	explaining.Wait()
	return plain, explained, ok, cmp.Or(err, explainErr)
}

// escapeCommand returns the arguments of a go command that compiles the package of the files, or if they have none the
// files, with -m or -m=2. The command writes into the folder work. It is alone if it is the compiler, which runs in the
// folder of the files.
func (p *Package) escapeCommand(ctx context.Context, work string, env []string, files compiledFiles) (
	command func(m string) []string, alone bool, err error,
) {
	m := files.pkg
	if m == nil {
		// The go command would refuse some files that belong to no package, because they have functions without a body, or
		// files that import internal packages of the standard library.
		command, err = p.compileCommand(ctx, work, env, files.names, relative(files.names), files.gcflags)
		return command, true, err
	}
	if !files.tests && p.goAlone(m) {
		// If cgo fails, the go command reports the reason.
		if generated, err := p.cgo(ctx, m, work, env); err == nil {
			names := slices.Concat(m.GoFiles, m.CgoFiles)
			command, err := p.compileCommand(ctx, work, env, names, append(relative(m.GoFiles), generated...),
				files.gcflags)
			return command, true, err
		}
	}
	flags := p.config.buildFlags()
	if files.tests {
		flags = append(flags, "-test")
	}
	return func(m string) []string {
		// This compiles and does not link.
		gcflags := p.perPackage("gcflags", slices.Concat(files.gcflags, []string{m})...)
		// GOFLAGS may contain -trimpath, with which the report would not have the paths that are looked for in it.
		return slices.Concat([]string{"list", "-export", "-trimpath=false", gcflags}, flags,
			[]string{"--", p.ImportPath})
	}, false, nil
}

func relative(names []string) (files []string) {
	for _, name := range names {
		files = append(files, "./"+name)
	}
	return files
}

// compileCommand returns the arguments of the compiler for files, which import what the named files do.
func (p *Package) compileCommand(
	ctx context.Context,
	work string,
	env, names, files, gcflags []string,
) (command func(m string) []string, err error) {
	importcfg := filepath.Join(work, "importcfg")
	language, err := p.importcfg(ctx, importcfg, env, names)
	if err != nil {
		return nil, err
	}
	if p.GoVersion != "" {
		language = version.Lang("go" + p.GoVersion)
	}
	return func(m string) []string {
		object := filepath.Join(work, strings.TrimLeft(m, "-")+".o")
		args := []string{"tool", "compile", "-p=" + cmp.Or(p.ImportPath, "p"), "-importcfg=" + importcfg, "-o", object, m}
		if language != "" {
			args = append(args, "-lang="+language)
		}
		return slices.Concat(args, p.toolFlags("gcflags", p.ImportPath), gcflags, files)
	}, nil
}

// importcfg writes the file that names the compiled packages which the named files import. It returns the language
// version of their module, "" if they have none.
func (p *Package) importcfg(ctx context.Context, to string, env, names []string) (language string, err error) {
	var imports []string
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			continue // the compiler reports the error
		}
		for _, spec := range file.Imports {
			switch path, err := strconv.Unquote(spec.Path.Value); {
			case err != nil || path == "unsafe":
			case path == "C":
				imports = append(imports, "runtime/cgo", "syscall") // of what cgo writes
			default:
				imports = append(imports, path)
			}
		}
	}
	slices.Sort(imports)
	imports = slices.Compact(imports)
	text := []byte("# the packages that are imported\n")
	if len(imports) > 0 {
		const format = "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"
		args := slices.Concat([]string{"list", "-export", "-deps", "-f", format}, p.config.buildFlags(), []string{"--"})
		args = append(args, imports...)
		out, err := p.config.output(ctx, env, args...)
		if err != nil {
			return "", err
		}
		text = append(text, out...)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return "", err
	}
	settings, err := p.config.settings(ctx, p.env, "GOMOD")
	if err != nil {
		return "", err
	}
	if gomod, err := os.ReadFile(settings["GOMOD"]); err == nil {
		if f, err := modfile.ParseLax("go.mod", gomod, nil); err == nil && f.Go != nil {
			return version.Lang("go" + f.Go.Version), nil
		}
	}
	return "", nil
}

// addFlows gives each diagnostic the flow of the explained diagnostic with the same position and message.
func addFlows(diagnostics, explained []escape.Diagnostic) {
	type key struct {
		file      string
		line, col int
		message   string
	}
	flows := map[key][]escape.Step{}
	for _, d := range explained {
		if len(d.Flow) > 0 {
			flows[key{d.File, d.Line, d.Col, d.Message}] = d.Flow
		}
	}
	for i, d := range diagnostics {
		diagnostics[i].Flow = flows[key{d.File, d.Line, d.Col, d.Message}]
	}
}
