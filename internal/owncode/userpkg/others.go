package userpkg

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/gocommand"
)

// An Other is a package that the package calls, with the compiler's escape report on it.
type Other struct {
	*Package
	Sources     map[string][]byte // the text of its files without its tests, by base name
	Diagnostics []escape.Diagnostic
	Instances   []Instance // as in Compilation
	Exports     Exports    // of what it imports
}

// InModule reports whether the import path is of another package of the same module.
func (p *Package) InModule(importPath string) bool {
	return p.ModulePath != "" && importPath != p.ImportPath && importPath != p.ImportPath+"_test" &&
		(importPath == p.ModulePath || strings.HasPrefix(importPath, p.ModulePath+"/"))
}

// Others compiles packages, which the package calls, with the compiler's escape report. Their imports are compiled
// already, without a report. Packages that cannot be compiled or read are left out.
func (p *Package) Others(ctx context.Context, importPaths []string) ([]Other, error) {
	work, err := newBuildFolder()
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	ctx, cancel := limits.WithTimeout(ctx)
	defer cancel()
	args := slices.Concat([]string{"list", "-e", "-export", "-deps", listFields + ",Export,DepOnly"},
		p.forOthers("gcflags", importPaths, "-m=2"), p.config.buildFlags(), []string{"--"}, importPaths)
	cmd := limits.Command(ctx, p.config.Dir, slices.Concat(os.Environ(), p.env, []string{"GOTMPDIR=" + work}), "go",
		args...)
	listed := &bytes.Buffer{}
	reports := &splitReport{byPath: map[string]*bytes.Buffer{}}
	for _, path := range importPaths {
		reports.byPath[path] = &bytes.Buffer{}
	}
	cmd.Stdout, cmd.Stderr = listed, reports
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	type compiled struct {
		Metadata
		Export  string
		DepOnly bool
	}
	all, err := gocommand.Packages[compiled](listed)
	if err != nil {
		return nil, err
	}
	exports := Exports{}
	var packages []Metadata
	for _, m := range all {
		if m.Export != "" {
			exports[m.ImportPath] = Export{m.Name, m.Export}
		}
		if !m.DepOnly && m.Error == nil {
			packages = append(packages, m.Metadata)
		}
	}
	var others []Other
	for _, m := range packages {
		o := Other{Exports: exports, Package: &Package{
			Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, config: p.config, goroot: p.goroot, modCache: p.modCache,
		}}
		o.describe(&m)
		o.TestGoFiles, o.XTestGoFiles = nil, nil
		if o.Sources, err = o.Files(); err != nil {
			continue
		}
		r := o.reportOf(filepath.Join(work, "none"), o.Sources)
		r.Write(reports.byPath[m.ImportPath].Bytes())
		r.finish()
		o.Diagnostics, _, _ = r.result()
		if o.Instances, err = r.instantiated(); err != nil {
			return nil, err
		}
		others = append(others, o)
	}
	return others, nil
}

// maxOther bounds the report on another package, in bytes.
const maxOther = 64 << 20

// A splitReport keeps the compiler's output on each of some packages, by import path.
type splitReport struct {
	byPath  map[string]*bytes.Buffer
	line    []byte
	current *bytes.Buffer // nil for other packages
}

func (s *splitReport) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		s.line = append(s.line, line...)
		if line[len(line)-1] != '\n' {
			break
		}
		if pkg, ok := bytes.CutPrefix(s.line, []byte("# ")); ok {
			s.current = s.byPath[string(bytes.TrimSpace(pkg))]
		}
		if s.current != nil && s.current.Len()+len(s.line) <= maxOther {
			s.current.Write(s.line)
		}
		s.line = s.line[:0]
	}
	return len(p), nil
}
