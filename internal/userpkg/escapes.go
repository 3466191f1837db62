package userpkg

import (
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

	"golang.org/x/mod/modfile"

	"onthestack/internal/escape"
)

// An EscapeReport is what the compiler says of Go files with -gcflags=-m, with the flow that it gives with -m=2 for each.
type EscapeReport struct {
	OK          bool
	Dir         string // of the files
	Diagnostics []escape.Diagnostic
	Problems    []escape.Diagnostic // where it is not OK
	Lines       []string
}

// FileEscapes compiles the package with the given files, all in one folder, or, where they are not those of the package there, the
// files as a package of their own, and returns what the compiler says of them: each diagnostic of -m, once, with its message as
// -m has it, and no others. Their File is a base name. The compiler gets gcflags too, such as -l, with which it inlines nothing.
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
	if err != nil && !errors.As(err, new(ArgumentError)) { // without a module there is no package here, but there are files
		return nil, err
	}
	if len(packages) == 1 && packages[0].Error == nil {
		p := packages[0]
		plain, tests := slices.Concat(p.GoFiles, p.CgoFiles), slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		both := slices.Concat(plain, tests)
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(both, n) }) {
			inTests := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(tests, n) })
			return c.escapes(ctx, p.ImportPath, names, inTests, gcflags)
		}
	}
	return c.escapes(ctx, "", names, false, gcflags)
}

// PackageEscapes is FileEscapes for the files of a package, its tests left out.
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
	// From its folder the package may be none of the main module's; it keeps its import path.
	report, err := c.escapesIn(ctx, p.Dir, p.ImportPath, slices.Concat(p.GoFiles, p.CgoFiles), false, gcflags)
	return report, err
}

func (c Config) escapes(ctx context.Context, importPath string, names []string, tests bool, gcflags []string) (*EscapeReport, error) {
	return c.escapesIn(ctx, c.Dir, importPath, names, tests, gcflags)
}

// escapesIn compiles the package, or with no import path the named files, which lie in dir, and keeps what is said of the files.
func (c Config) escapesIn(ctx context.Context, dir, importPath string, names []string, tests bool, gcflags []string) (*EscapeReport, error) {
	p := &Package{config: c, Dir: dir, env: c.env()}
	if err := p.queryGo(ctx); err != nil {
		return nil, err
	}
	own := func(file string) string {
		for _, full := range p.absolute(file) {
			if d, name := filepath.Split(full); filepath.Clean(d) == dir && slices.Contains(names, name) {
				return name
			}
		}
		return ""
	}
	paths, base := []string{importPath, importPath + "_test"}, own
	if importPath == "" {
		// All that is said: also of what the compiler makes by itself, and of other packages' generic functions.
		c.Dir = dir // the compiler is called here, without the go command
		p.config = c
		base = func(file string) string {
			if name := own(file); name != "" {
				return name
			}
			return p.shortName(file)
		}
	}
	work, err := os.MkdirTemp("", "checkalloc-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	defer removeAll(work)
	// The go command's own temporary files go the way of the build, also when it is killed.
	env := append(slices.Clone(c.env()), "GOTMPDIR="+work)
	command, err := p.escapeCommand(ctx, work, env, importPath, names, tests, gcflags)
	if err != nil {
		return nil, err
	}
	compile := func(m string) (*reportWriter, bool, error) {
		r := newReport(paths, base, p.shortName)
		r.own = importPath == ""
		ok, err := c.report(ctx, env, r, command(m)...)
		if err != nil {
			err = fmt.Errorf("compile %s: %w", strings.Join(names, " "), err)
		}
		return r, ok, err
	}
	type answer struct {
		r   *reportWriter
		err error
	}
	explained := make(chan answer, 1)
	go func() {
		r, _, err := compile("-m=2")
		explained <- answer{r, err}
	}()
	said, ok, err := compile("-m")
	more := <-explained
	if err == nil {
		err = more.err
	}
	if err != nil {
		return nil, err
	}
	report := &EscapeReport{OK: ok, Dir: dir}
	report.Diagnostics, report.Problems, report.Lines = said.result()
	if ok { // what is no error is said of the code, if in words that this program does not know, as under -d=escapedebug=1
		for _, d := range report.Problems {
			if importPath == "" || slices.Contains(names, d.File) {
				report.Diagnostics = append(report.Diagnostics, d)
			}
		}
		report.Problems = nil
		slices.SortStableFunc(report.Diagnostics, inOrder)
	}
	withFlows, _, _ := more.r.result()
	addFlows(report.Diagnostics, withFlows)
	return report, nil
}

// escapeCommand returns the arguments of a go command that compiles the package, or with no import path the named files, with
// -m or -m=2, and writes into the folder work.
func (p *Package) escapeCommand(ctx context.Context, work string, env []string, importPath string, names []string, tests bool, gcflags []string) (command func(m string) []string, err error) {
	flags := p.config.buildFlags()
	if importPath != "" {
		if tests {
			flags = append(flags, "-test")
		}
		return func(m string) []string {
			// It compiles and does not link.
			return slices.Concat([]string{"list", "-export", "-gcflags=" + strings.Join(append(gcflags[:len(gcflags):len(gcflags)], m), " ")}, flags, []string{"--", importPath})
		}, nil
	}
	// Files of no package may be such as only the compiler takes: with functions that have no body, or that import what is internal
	// to the standard library.
	importcfg := filepath.Join(work, "importcfg")
	language, err := p.importcfg(ctx, importcfg, env, names)
	if err != nil {
		return nil, err
	}
	return func(m string) []string {
		args := []string{"tool", "compile", "-p=p", "-importcfg=" + importcfg, "-o", filepath.Join(work, strings.TrimLeft(m, "-")+".o"), m}
		if language != "" {
			args = append(args, "-lang="+language)
		}
		args = append(args, gcflags...)
		for _, name := range names {
			args = append(args, "./"+name)
		}
		return args
	}, nil
}

// importcfg writes the file that names the compiled packages which the named files import, and returns the language of the module
// that they lie in, "" for none.
func (p *Package) importcfg(ctx context.Context, to string, env, names []string) (language string, err error) {
	var imports []string
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			continue // the compiler says it better
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "unsafe" && path != "C" && !slices.Contains(imports, path) {
				imports = append(imports, path)
			}
		}
	}
	text := []byte("# the packages that are imported\n")
	if len(imports) > 0 {
		out, err := p.config.output(ctx, env, slices.Concat([]string{"list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"},
			p.config.buildFlags(), []string{"--"}, imports)...)
		if err != nil {
			return "", err
		}
		text = append(text, out...)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return "", err
	}
	mod, err := p.config.output(ctx, p.config.env(), "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if gomod, err := os.ReadFile(strings.TrimSpace(string(mod))); err == nil {
		if f, err := modfile.ParseLax("go.mod", gomod, nil); err == nil && f.Go != nil {
			return version.Lang("go" + f.Go.Version), nil
		}
	}
	return "", nil
}

// addFlows gives diagnostics the flows that others have which say the same of the same place.
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
