package userpkg

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A Subject is a package to explain: a Package with what was compiled of it. It is built once, and can then be measured
// more than once. Compile builds it, and Close removes its files.
type Subject struct {
	Package *Package
	Files   map[string][]byte // the text of its files by base name
	Built   *Compilation      // nil before Compile

	loaded bool // by Load, so that Close closes the package too
}

// LoadSubject finds the package that a pattern names. The error is an ArgumentError if the pattern is wrong.
func LoadSubject(ctx context.Context, config Config, pattern string) (*Subject, error) {
	p, err := config.Load(ctx, pattern)
	if err != nil {
		return nil, err
	}
	files, err := p.Files()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &Subject{Package: p, Files: files, loaded: true}, nil
}

// With returns the same package with other text in the given files. The text is not written to the disk. It is not
// built. The package must stay open for as long as the result is used.
func (s *Subject) With(edited map[string][]byte) *Subject {
	files := maps.Clone(s.Files)
	maps.Copy(files, edited)
	return &Subject{Package: s.Package.With(edited), Files: files}
}

// Compile builds the package, with its benchmarks if measure is true.
func (s *Subject) Compile(ctx context.Context, measure bool) (err error) {
	s.Built, err = s.Package.Compile(ctx, measure)
	return err
}

// Close removes the files of the build.
func (s *Subject) Close() error {
	var err error
	if s.Built != nil {
		err = s.Built.Close()
	}
	if s.loaded {
		err = errors.Join(err, s.Package.Close())
	}
	return err
}

// An Explanation is a verdict on a package that is no exercise.
type Explanation struct {
	Verdict *verdict.Verdict
	Others  []*why.Package    // whose lines are among Verdict.Inside
	Dirs    map[string]string // the folders of the others, by import path
}

// Explain measures the package and explains it. If ctx is done meanwhile, it returns an explanation of what was
// measured until then, and the error.
func (s *Subject) Explain(ctx context.Context, m MeasureOptions, within Scope) (*Explanation, error) {
	p, built := s.Package, s.Built
	found := s.userPackage(m)
	var ended error
	var dirs map[string]string // of the others
	if built.Binary != "" {
		declared := make(chan Exports, 1)
		go func() {
			exports, _ := p.Exports(ctx, s.Files) // without them, some types are not known
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
		found.ValueOf = p.values(s.Files, exports, allocatingLines(found.Runs))
		found.Names = exports.Names()
		if ended == nil {
			var err error
			if found.Others, dirs, err = s.others(ctx, found, within); err != nil {
				return nil, err
			}
		}
	}
	return &Explanation{Verdict: found.Explain(), Others: found.Others, Dirs: dirs}, ended
}

// Build builds the package with its benchmarks and without the compiler's escape report, which takes longer. It can be
// measured and not explained.
func (s *Subject) Build(ctx context.Context) (err error) {
	s.Built, err = s.Package.Build(ctx)
	return err
}

// Figures measures the package without explaining its lines.
func (s *Subject) Figures(ctx context.Context, m MeasureOptions) (*verdict.Verdict, error) {
	found := s.userPackage(m)
	found.Diagnostics, m.Figures = nil, true
	if s.Built.Binary != "" {
		var err error
		if found.Runs, err = s.Package.Measure(ctx, s.Built, m); err != nil {
			return nil, err
		}
	}
	return found.Explain(), nil
}

// userPackage returns the package as it was built, before it is measured.
func (s *Subject) userPackage(m MeasureOptions) verdict.UserPackage {
	p, built := s.Package, s.Built
	return verdict.UserPackage{
		ImportPath: p.ImportPath, Dir: p.Dir, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, Files: s.Files,
		Built: built.OK, Diagnostics: built.Diagnostics, Problems: built.Problems, Lines: built.Lines,
		Estimated: built.Estimated, Selected: selected(built.Benchmarks, m.Bench),
	}
}

// values returns a function that knows the types on lines of the files.
func (p *Package) values(files map[string][]byte, exports Exports, lines map[string][]int) (
	valueOf func(escape.Diagnostic) (escape.Value, bool)) {
	return p.Types(files, exports, func(file string, from, to int) bool {
		return slices.ContainsFunc(lines[file], func(line int) bool { return from <= line && line <= to })
	}).Value
}

// allocatingLines returns the lines on the stacks that runs recorded, by the base name of their file.
func allocatingLines(runs []verdict.Run) map[string][]int {
	type position struct {
		file string
		line int
	}
	seen := map[position]bool{}
	lines := map[string][]int{}
	for _, run := range runs {
		for _, b := range run.Measured.Benchmarks {
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

// A Scope says which of the other packages that allocate for the benchmarks of a package are explained.
type Scope int

const (
	OnlyPackage Scope = iota // none
	WholeModule              // packages of the module
	Everything               // all
)

// others compiles the packages within the scope that allocate for the benchmarks. Dirs has their folders by import
// path.
func (s *Subject) others(
	ctx context.Context,
	found verdict.UserPackage,
	within Scope,
) (others []*why.Package, dirs map[string]string, err error) {
	if within == OnlyPackage {
		return nil, nil, nil
	}
	wanted := func(path string) bool { return within == Everything || s.Package.InModule(path) }
	paths := found.Callees(wanted)
	if len(paths) == 0 {
		return nil, nil, nil
	}
	reported := slices.Concat(paths, found.Instantiators(wanted))
	slices.Sort(reported)
	compiled, err := s.Package.Others(ctx, slices.Compact(reported))
	if err != nil {
		return nil, nil, err
	}
	instances := slices.Clone(s.Built.Instances)
	for _, o := range compiled {
		instances = append(instances, o.Instances...)
	}
	lines := allocatingLines(found.Runs)
	dirs = map[string]string{}
	for _, o := range compiled {
		if !slices.Contains(paths, o.ImportPath) {
			continue
		}
		others = append(others, &why.Package{
			ImportPath: o.ImportPath, Files: o.Sources, Diagnostics: o.WithInstances(instances),
			ValueOf: o.values(o.Sources, o.Exports, lines),
		})
		dirs[o.ImportPath] = o.Dir
	}
	return others, dirs, nil
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

// Sample measures the time of each benchmark once, in ns/op by name.
func (s *Subject) Sample(ctx context.Context, m MeasureOptions) (map[string]float64, error) {
	m.Timing = true
	runs, err := s.Package.Measure(ctx, s.Built, m)
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for _, run := range runs {
		for _, b := range run.Measured.Benchmarks {
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
