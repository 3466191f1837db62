package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/progress"
	"onthestack/internal/userpkg"
	"onthestack/internal/verdict"
)

// A subject is a package of the reader's that was built, so that it can be measured, more than once.
type subject struct {
	pkg   *userpkg.Package
	built *userpkg.Compilation
	files map[string][]byte // the text of its files by base name
}

// buildSubject builds the package that a pattern names, with its benchmarks if measure is true.
func buildSubject(
	ctx context.Context,
	line *progress.Line,
	config userpkg.Config,
	pattern string,
	measure bool,
) (s *subject, err error) {
	line.Show("reading %s", pattern)
	s = &subject{}
	if s.pkg, err = config.Load(ctx, pattern); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.files, err = s.pkg.Files(); err != nil {
		return nil, err
	}
	line.Show("building %s", s.pkg.ImportPath)
	defer explainDelay(line, s.pkg.ImportPath)()
	s.built, err = s.pkg.Compile(ctx, measure)
	return s, err
}

// close removes the files of the build.
func (s *subject) close() error {
	var err error
	if s.built != nil {
		err = s.built.Close()
	}
	return errors.Join(err, s.pkg.Close())
}

// explain measures the package and explains it. If ctx is done meanwhile, it returns an explanation of what was
// measured until then, and the error.
func (s *subject) explain(ctx context.Context, m userpkg.MeasureOptions, within scope) (*explanation, error) {
	p, built := s.pkg, s.built
	found := verdict.UserPackage{
		ImportPath: p.ImportPath, Dir: p.Dir, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, Files: s.files,
		Built: built.OK, Diagnostics: built.Diagnostics, Problems: built.Problems, Lines: built.Lines,
	}
	var ended error
	var folders map[string]string // of the others
	if built.Binary != "" {
		found.Selected = selected(built.Benchmarks, m.Bench)
		declared := make(chan userpkg.Exports, 1)
		go func() {
			exports, _ := p.Exports(ctx, s.files) // without them, some types are not known
			declared <- exports
		}()
		found.Runs, ended = p.Measure(ctx, built, m)
		exports := <-declared
		if ended != nil {
			if len(found.Runs) == 0 || ctx.Err() == nil {
				return nil, ended
			}
			found.Interrupted = true
		}
		found.ValueOf, found.Names = s.values(exports, found.Runs), exports.Names()
		if ended == nil {
			var err error
			if found.Others, folders, err = s.others(ctx, found, within); err != nil {
				return nil, err
			}
		}
	}
	v, err := found.Explain()
	if err != nil {
		return nil, err
	}
	e := &explanation{verdict: v, files: s.files, benchmarks: built.Benchmarks, others: found.Others,
		module: p.ModulePath, folders: folders}
	e.folder, _ = s.folder(p.Dir)
	return e, ended
}

// folder returns the slash-separated path of a folder from the root of the package's repository, and whether it is in
// the repository.
func (s *subject) folder(dir string) (path string, ok bool) {
	rel, err := filepath.Rel(repositoryRoot(s.pkg.ModuleDir), dir)
	if s.pkg.ModuleDir == "" || err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// repositoryRoot returns the folder of the git repository around a module, or the module's own folder if there is none.
func repositoryRoot(module string) string {
	for dir := module; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return module
		}
	}
}

// values returns a function that knows the types on the lines that allocated in the runs.
func (s *subject) values(
	exports userpkg.Exports,
	runs []*execution.TestRun,
) func(escape.Diagnostic) (escape.Value, bool) {
	return values(s.pkg, s.files, exports, allocatingLines(runs))
}

func values(
	p *userpkg.Package,
	files map[string][]byte,
	exports userpkg.Exports,
	lines map[string][]int,
) func(escape.Diagnostic) (escape.Value, bool) {
	return p.Types(files, exports, func(file string, from, to int) bool {
		return slices.ContainsFunc(lines[file], func(line int) bool { return from <= line && line <= to })
	}).Value
}

// allocatingLines returns the lines on the stacks that runs recorded, by the base name of their file.
func allocatingLines(runs []*execution.TestRun) map[string][]int {
	type position struct {
		file string
		line int
	}
	seen := map[position]bool{}
	lines := map[string][]int{}
	for _, run := range runs {
		report, err := wire.Parse(run.Report)
		if err != nil {
			continue // package verdict says so
		}
		for _, b := range report.Benchmarks {
			for _, stack := range b.Stacks {
				for _, f := range stack.Frames {
					if at := (position{filepath.Base(f.File), f.Line}); !seen[at] {
						seen[at] = true
						lines[at.file] = append(lines[at.file], at.line)
					}
				}
			}
		}
	}
	return lines
}

// A scope says which other packages are explained that allocate for the benchmarks of a package.
type scope int

const (
	onlyPackage scope = iota // none
	wholeModule              // those of the module
	everything               // all
)

// others compiles the packages within the scope that allocate for the benchmarks. Folders has the folder of each that
// is in the same repository, by import path.
func (s *subject) others(
	ctx context.Context,
	found verdict.UserPackage,
	within scope,
) (others []verdict.OtherPackage, folders map[string]string, err error) {
	if within == onlyPackage {
		return nil, nil, nil
	}
	paths := found.Callees(func(path string) bool { return within == everything || s.pkg.InModule(path) })
	if len(paths) == 0 {
		return nil, nil, nil
	}
	compiled, err := s.pkg.Others(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	lines := allocatingLines(found.Runs)
	folders = map[string]string{}
	for _, o := range compiled {
		others = append(others, verdict.OtherPackage{
			ImportPath: o.ImportPath, Files: o.Sources, Diagnostics: o.Diagnostics,
			ValueOf: values(o.Package, o.Sources, o.Exports, lines),
		})
		if folder, ok := s.folder(o.Dir); ok {
			folders[o.ImportPath] = folder
		}
	}
	return others, folders, nil
}

// selected returns the functions that a pattern of benchmarks selects, or may select sub-benchmarks of.
func selected(functions []string, pattern string) (names []string) {
	for _, name := range functions {
		for alternative := range strings.SplitSeq(pattern, "|") {
			function, _, _ := strings.Cut(alternative, "/")
			if ok, err := regexp.MatchString(function, name); ok && err == nil {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// sample measures the time of each benchmark once, in ns/op by name.
func (s *subject) sample(ctx context.Context, m userpkg.MeasureOptions) (map[string]float64, error) {
	m.Timing = true
	runs, err := s.pkg.Measure(ctx, s.built, m)
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for _, run := range runs {
		report, err := wire.Parse(run.Report)
		if err != nil {
			return nil, err
		}
		for _, b := range report.Benchmarks {
			name := b.Name
			if _, known := times[name]; known {
				name += verdict.InExternalTest
			}
			if !b.Failed {
				times[name] = b.NsPerOp
			}
		}
	}
	return times, nil
}
