package userpkg

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// An Explanation is a verdict on a package that is no exercise.
type Explanation struct {
	*Package // which may be closed
	Verdict  *verdict.Verdict
	Others   []*Package // whose lines are among Verdict.Inside
}

// Source returns the text of a file, which has the import path before its name if it is another package's.
func (e *Explanation) Source(file string) []byte {
	for _, o := range e.Others {
		if name, ok := strings.CutPrefix(file, o.ImportPath+"/"); ok && o.Texts[name] != nil {
			return o.Texts[name]
		}
	}
	return e.Texts[file]
}

// Explain measures the package and explains it. If ctx is done meanwhile, it returns an explanation of what was
// measured until then, and the error.
func (p *Package) Explain(ctx context.Context, m MeasureOptions, within Scope) (*Explanation, error) {
	found := p.userPackage(m)
	var ended error
	var others []*Package
	if p.Built.Binary != "" {
		declared := make(chan Exports, 1)
		go func() {
			exports, _ := p.Exports(ctx, p.Texts) // without them, some types are not known
			declared <- exports
		}()
		found.Runs, ended = p.Measure(ctx, m)
		exports := <-declared
		if ended != nil {
			if len(found.Runs) == 0 || ctx.Err() == nil {
				return nil, ended
			}
			found.Interrupted = true
		}
		found.ValueOf = p.Types(exports, touched(found.Runs)).Value
		found.Names = exports.Names()
		if ended == nil {
			var err error
			if found.Others, others, err = p.called(ctx, found, within); err != nil {
				return nil, err
			}
		}
	}
	return &Explanation{Package: p, Verdict: found.Explain(), Others: others}, ended
}

// Figures measures the package without explaining its lines.
func (p *Package) Figures(ctx context.Context, m MeasureOptions) (*verdict.Verdict, error) {
	found := p.userPackage(m)
	found.Diagnostics, m.Figures = nil, true
	if p.Built.Binary != "" {
		var err error
		if found.Runs, err = p.Measure(ctx, m); err != nil {
			return nil, err
		}
	}
	return found.Explain(), nil
}

// userPackage returns the package as it was built, before it is measured.
func (p *Package) userPackage(m MeasureOptions) verdict.UserPackage {
	built := p.Built
	return verdict.UserPackage{
		ImportPath: p.ImportPath, Dir: p.Dir, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, Files: p.Texts,
		Built: built.OK, Diagnostics: built.Diagnostics, Problems: built.Problems, Lines: built.Lines,
		Estimated: built.Estimated, Selected: selected(built.Benchmarks, m.Bench),
	}
}

// touched returns whether lines of a file, by base name, are on the stacks that runs recorded.
func touched(runs []verdict.Run) func(file string, from, to int) bool {
	lines := map[sourceLine]bool{}
	for _, run := range runs {
		for _, b := range run.Measured.Benchmarks {
			for _, stack := range b.Stacks {
				for _, f := range stack.Frames {
					lines[sourceLine{filepath.Base(f.File), f.Line}] = true
				}
			}
		}
	}
	return func(file string, from, to int) bool {
		for line := from; line <= to; line++ {
			if lines[sourceLine{file, line}] {
				return true
			}
		}
		return false
	}
}

// A Scope says which of the other packages that allocate for the benchmarks of a package are explained.
type Scope int

const (
	OnlyPackage Scope = iota // none
	WholeModule              // packages of the module
	Everything               // all
)

// called compiles the packages within the scope that allocate for the benchmarks.
func (p *Package) called(ctx context.Context, found verdict.UserPackage, within Scope) (
	explained []*why.Package, others []*Package, err error) {
	if within == OnlyPackage {
		return nil, nil, nil
	}
	wanted := func(path string) bool { return within == Everything || p.InModule(path) }
	paths := found.Callees(wanted)
	if len(paths) == 0 {
		return nil, nil, nil
	}
	reported := slices.Sorted(slices.Values(slices.Concat(paths, found.Instantiators(wanted))))
	compiled, exports, err := p.Others(ctx, slices.Compact(reported))
	if err != nil {
		return nil, nil, err
	}
	instances := slices.Clone(p.Built.Instances)
	for _, o := range compiled {
		instances = append(instances, o.Built.Instances...)
	}
	lines := touched(found.Runs)
	for _, o := range compiled {
		if !slices.Contains(paths, o.ImportPath) {
			continue
		}
		explained = append(explained, &why.Package{
			ImportPath: o.ImportPath, Files: o.Texts, Diagnostics: o.WithInstances(instances),
			ValueOf: o.Types(exports, lines).Value,
		})
		others = append(others, o)
	}
	return explained, others, nil
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

// Sample measures the time of each benchmark once, and adds it to the samples of a verdict.
func (p *Package) Sample(ctx context.Context, m MeasureOptions, v *verdict.Verdict) error {
	m.Timing = true
	runs, err := p.Measure(ctx, m)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, run := range runs {
		for _, b := range run.Measured.Benchmarks {
			if b.Failed {
				continue
			}
			name := b.Name
			if known[name] {
				name += verdict.InExternalTest
			}
			known[name] = true
			for i := range v.Benchmarks {
				if v.Benchmarks[i].Name == name {
					v.Benchmarks[i].AddSample(b.NsPerOp)
				}
			}
		}
	}
	return nil
}
