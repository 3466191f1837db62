package heapprofile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	stacks "onthestack/internal/profile"
	"onthestack/internal/why"
)

// minPart is the part of all bytes below which a package is not compiled.
const minPart = 0.001

// An explainer is a Report under construction.
type explainer struct {
	Options
	profile *Profile
	*framer
	*packages
	report   *Report
	entries  []entry
	lines    map[place]*lineSum
	outside  map[string]*Outside
	compiled map[string]*userpkg.Package
	sources  *sources
}

// A place is a line of the profile.
type place struct {
	pkg, file string
	line      int
}

// A lineSum is the sum of the entries that are charged to a line.
type lineSum struct {
	place
	objects, bytes float64
	sampled        Estimate
	functions      map[frame]float64 // bytes by function; closures may share a line
}

// frame returns the frame of the function with the most bytes.
func (s *lineSum) frame() frame {
	return slices.MinFunc(slices.Collect(maps.Keys(s.functions)), func(a, b frame) int {
		return cmp.Or(cmp.Compare(s.functions[b], s.functions[a]), strings.Compare(a.function, b.function))
	})
}

// Explain returns which lines allocate in a profile, how much and why. The error is an InputError if the profile does not
// have what is asked for, and a userpkg.ArgumentError for a mistake in a pattern.
func (p *Profile) Explain(ctx context.Context, o Options) (*Report, error) {
	e := &explainer{
		Options: o, profile: p, lines: map[place]*lineSum{}, outside: map[string]*Outside{},
		compiled: map[string]*userpkg.Package{},
		report: &Report{Schema: Schema, Measure: "allocated", Per: o.Per, Rate: p.Rate, Revision: o.Revision,
			Taken: p.Taken, Lines: []Line{}, Outside: []Outside{}, Notes: []string{}, texts: map[string][]byte{}},
	}
	if o.InUse {
		e.report.Measure = "in use"
	}
	profiles := []*Profile{p}
	var err error
	if e.entries, err = p.entries(o.InUse, o.Labels); err != nil {
		return nil, err
	}
	var base []entry
	if o.Base != nil {
		profiles = append(profiles, o.Base)
		if base, err = o.Base.entries(o.InUse, o.Labels); err != nil {
			return nil, inputErrorf("has a base that %v", err)
		}
		if o.Base.Rate != p.Rate {
			return nil, fmt.Errorf("the profiles have different rates, %d and %d bytes", p.Rate, o.Base.Rate)
		}
	}
	if e.packages, e.framer, err = listPackages(ctx, o, profiles...); err != nil {
		return nil, err
	}
	e.placeInitializers(e.byPath, profiles)
	if o.Base != nil {
		e.entries = subtract(e.entries, base, e.framer)
	}
	e.charge()
	if err := e.explain(ctx); err != nil {
		return nil, err
	}
	e.finish()
	if o.Tree {
		e.report.Tree = e.tree()
	}
	return e.report, nil
}

// charged returns where on an entry's stack the innermost frame is that is shown: its location, and its index there.
func (e *explainer) charged(locations []*profile.Location) (at, index int, ok bool) {
	for i, l := range locations {
		made := e.at(l)
		if !made.asked {
			made.asked, made.shown = true, slices.IndexFunc(made.frames, e.has)
		}
		if made.shown >= 0 {
			return i, made.shown, true
		}
	}
	return 0, 0, false
}

// charge sums the entries by line.
func (e *explainer) charge() {
	for _, entry := range e.entries {
		e.report.Objects += entry.objects
		e.report.Bytes += entry.bytes
		i, j, ok := e.charged(entry.locations)
		if !ok {
			pkg := e.allocating(entry.locations)
			if e.outside[pkg] == nil {
				e.outside[pkg] = &Outside{Package: pkg}
			}
			e.outside[pkg].Objects += entry.objects
			e.outside[pkg].Bytes += entry.bytes
			e.outside[pkg].Sampled.Add(entry.sampled)
			continue
		}
		f := e.at(entry.locations[i]).frames[j]
		at := place{f.pkg, f.file, f.line}
		sum := e.lines[at]
		if sum == nil {
			sum = &lineSum{place: at, functions: map[frame]float64{}}
			e.lines[at] = sum
		}
		sum.objects += entry.objects
		sum.bytes += entry.bytes
		sum.sampled.Add(entry.sampled)
		sum.functions[f] += entry.bytes
		e.report.ModuleObjects += entry.objects
		e.report.ModuleBytes += entry.bytes
	}
}

// allocating returns the package of the innermost frame outside the runtime.
func (e *explainer) allocating(locations []*profile.Location) string {
	for _, l := range locations {
		for _, f := range e.at(l).frames {
			if !f.isRuntime() {
				return f.pkg
			}
		}
	}
	return "runtime"
}

// explain compiles the packages that matter and fills in the lines with their reasons.
func (e *explainer) explain(ctx context.Context) error {
	bytes := map[string]float64{}
	for _, sum := range e.lines {
		bytes[sum.pkg] += math.Abs(sum.bytes)
	}
	total := 0.0
	for _, entry := range e.entries {
		total += math.Abs(entry.bytes)
	}
	maps.DeleteFunc(bytes, func(_ string, b float64) bool { return b < minPart*total })
	wanted := slices.Sorted(maps.Keys(bytes))
	e.sources = &sources{texts: map[string]map[string][]byte{}, parsed: map[[2]string]map[string]declared{},
		starts: e.starts}
	if len(wanted) == 0 {
		return nil
	}
	// The compiler reports on a generic function where it is instantiated.
	traced, _ := e.stacks(func(string) bool { return true })
	instantiating := map[string]bool{}
	stacks.Instantiators(instantiating, traced, func(pkg string) bool { return slices.Contains(wanted, pkg) })
	maps.DeleteFunc(instantiating, func(pkg string, _ bool) bool {
		_, known := e.byPath[pkg]
		return !known || slices.Contains(wanted, pkg)
	})
	reported := slices.Concat(wanted, slices.Sorted(maps.Keys(instantiating)))
	all, exports, err := e.Config.Reports(ctx, e.main, reported)
	if err != nil {
		return err
	}
	if all, err = e.withTests(ctx, all, exports); err != nil {
		return err
	}
	var instances []userpkg.Instance
	for _, o := range all {
		e.compiled[o.ImportPath] = o
		e.sources.texts[o.ImportPath] = o.Texts
		instances = append(instances, o.Built.Instances...)
		e.report.Go, e.report.GOOS, e.report.GOARCH = o.Go, o.GOOS, o.GOARCH
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(pkg string) bool { return e.compiled[pkg] != nil })
	if len(missing) > 0 {
		e.note("%s cannot be compiled here, so these lines have no reasons.", strings.Join(missing, ", "))
	}
	e.report.names = exports.Names()
	traced, sized := e.stacks(func(pkg string) bool { return e.compiled[pkg] != nil })
	touched := touches(traced)
	var packages []*why.Package
	for _, path := range wanted {
		o := e.compiled[path]
		if o == nil {
			continue
		}
		made := &why.Package{ImportPath: path, Files: o.Texts, Diagnostics: o.WithInstances(instances),
			Names: e.report.names}
		if sized {
			made.ValueOf = o.Types(exports, touched[path].in).Value
		}
		packages = append(packages, made)
	}
	e.join(why.Sampled(packages, traced))
	return nil
}

// withTests returns the packages, of which those are compiled with their tests that have lines in tests: the profile is of
// a test. It adds what these import to the exports. A package whose tests do not compile here stays as it is.
func (e *explainer) withTests(ctx context.Context, packages []*userpkg.Package, exports userpkg.Exports) (
	[]*userpkg.Package, error) {
	tested := map[string]bool{}
	for at := range e.lines {
		if isTest(at.file) {
			tested[at.pkg] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(tested)) {
		made, more, err := e.Config.TestReport(ctx, path)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil: // its lines are not explained
			continue
		case made.Built.OK:
			packages = slices.DeleteFunc(packages, func(p *userpkg.Package) bool { return p.ImportPath == path })
			packages = append(packages, made)
			maps.Copy(exports, more)
		}
		if err := made.Close(); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// isTest reports whether a file is compiled only for tests.
func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// join adds the reasons of lines.
func (e *explainer) join(allocations []why.Allocation) {
	reasons := map[place][]why.Allocation{}
	for _, a := range allocations {
		at := place{a.Package, a.File, a.Line}
		reasons[at] = append(reasons[at], a)
	}
	for _, sum := range e.lines {
		most := sum.frame()
		line := Line{
			Package: sum.pkg, File: e.file(sum.pkg, sum.file), Line: sum.line, Func: most.local(),
			Objects: sum.objects, Bytes: sum.bytes, Samples: int64(math.Round(sum.sampled.Samples)),
			Sampled: sum.sampled, Reasons: []why.Reason{}, path: filepath.Join(e.byPath[sum.pkg].Dir, sum.file),
		}
		line.ObjectsMargin, line.BytesMargin = sum.sampled.Margins(sum.objects, sum.bytes)
		if o := e.compiled[sum.pkg]; o != nil {
			line.texts = o.Texts
			number, changed := e.sources.find(most)
			line.Changed = changed
			if changed == "" {
				line.Line = number
				line.Code = why.LineText(o.Texts[sum.file], number)
				e.report.texts[line.File] = o.Texts[sum.file]
				line.explain(reasons[place{sum.pkg, sum.file, number}])
			} else if isTest(sum.file) && o.Texts[sum.file] == nil {
				line.Changed = "the tests of the package are not there or do not compile"
			}
		} else {
			e.locate(&line, most)
		}
		e.report.Lines = append(e.report.Lines, line)
	}
}

// explain adds the reasons why a line allocates. Closures on the line have their own.
func (l *Line) explain(allocations []why.Allocation) {
	var clauses []string
	for _, a := range allocations {
		if l.Kind == "" {
			l.Kind, l.Func, l.Callees = a.Kind, a.Func, a.Callees
			_, l.Page = present.Next(a.Kind, a.Callees)
		}
		if !slices.Contains(clauses, a.Why) {
			clauses = append(clauses, a.Why)
		}
		for _, r := range a.Reasons {
			if !slices.ContainsFunc(l.Reasons, func(o why.Reason) bool {
				return o.Line == r.Line && o.Col == r.Col && o.Message == r.Message
			}) {
				l.Reasons = append(l.Reasons, r)
			}
		}
	}
	l.Why = strings.Join(clauses, "; ")
}
