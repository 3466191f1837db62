package heapprofile

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"onthestack/internal/harness/wire"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	stacks "onthestack/internal/profile"
	"onthestack/internal/why"
)

// minPart is the part of all bytes below which a package is not compiled.
const minPart = 0.001

// maxCallers is how many callers of a line are kept on its stacks: package why looks for them where a function is
// inlined.
const maxCallers = 4

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
			return nil, fmt.Errorf("the base %w", err)
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
			l.Kind, l.Func, l.Callees, l.Page = a.Kind, a.Func, a.Callees, present.Page(a.Kind)
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

// stacks returns the stacks of the entries that are charged to lines of some packages and that are in their sources, up
// to the line and a few callers. Equal ones are added up. sized is false if the sizes of objects are not known.
func (e *explainer) stacks(wanted func(pkg string) bool) (all []wire.Stack, sized bool) {
	index := map[string]int{}
	sized = true
	var key []byte
	for _, entry := range e.entries {
		i, j, ok := e.charged(entry.locations)
		if !ok || entry.objects <= 0 && entry.bytes <= 0 || !wanted(e.at(entry.locations[i]).frames[j].pkg) {
			continue
		}
		if entry.size == 0 {
			sized = false
		}
		objects := max(1, int64(math.Round(entry.objects)))
		key = binary.AppendVarint(key[:0], entry.size)
		for _, l := range entry.locations[:min(len(entry.locations), i+1+maxCallers)] {
			key = binary.AppendUvarint(key, e.at(l).number)
		}
		if known, ok := index[string(key)]; ok {
			if known >= 0 {
				all[known].Objects += objects
			}
			continue
		}
		frames, ok := e.wireFrames(entry.locations, i, j)
		if !ok {
			index[string(key)] = -1
			continue
		}
		index[string(key)] = len(all)
		all = append(all, wire.Stack{Objects: objects, Size: entry.size, Frames: frames})
	}
	return all, sized
}

// wireFrames returns the frames of a stack up to the one at an index of a location, which is charged, and a few of its
// callers. The innermost is the function of the runtime that was called. ok is false if the charged line is not in the
// sources.
func (e *explainer) wireFrames(locations []*profile.Location, at, index int) (frames []wire.Frame, ok bool) {
	begun := false
	for i, l := range locations[:min(len(locations), at+1+maxCallers)] {
		if !begun && len(e.at(l).frames) == 0 {
			frames = nil // in the text form, few of the runtime's functions have names
		}
		for j, f := range e.at(l).frames {
			if !begun && !f.isRuntime() {
				if len(frames) == 0 {
					frames = append(frames, wire.Frame{Func: cmp.Or(e.Binary.called(l), stacks.Unknown)})
				}
				begun = true
			}
			made := wire.Frame{Func: f.function, File: "/" + f.file, Line: f.line}
			if i > at || i == at && j >= index {
				made.File = f.pkg + "/" + f.file
				if e.compiled[f.pkg] != nil {
					line, changed := e.sources.find(f)
					if changed != "" && i == at && j == index {
						return nil, false
					}
					made.Line = line
				}
			}
			frames = append(frames, made)
		}
	}
	return frames, true
}

// A lineSet has lines of a package by file.
type lineSet map[string][]int

// in reports whether one of the lines is in a range of lines of a file.
func (s lineSet) in(file string, from, to int) bool {
	i, _ := slices.BinarySearch(s[file], from)
	return i < len(s[file]) && s[file][i] <= to
}

// touches returns the lines that are on stacks, by import path.
func touches(all []wire.Stack) map[string]lineSet {
	touched := map[string]lineSet{}
	for _, s := range all {
		for _, f := range s.Frames {
			pkg, file := path.Dir(f.File), path.Base(f.File)
			if touched[pkg] == nil {
				touched[pkg] = lineSet{}
			}
			touched[pkg][file] = append(touched[pkg][file], f.Line)
		}
	}
	for _, set := range touched {
		for file := range set {
			slices.Sort(set[file])
			set[file] = slices.Compact(set[file])
		}
	}
	return touched
}

func (e *explainer) note(format string, args ...any) {
	e.report.Notes = append(e.report.Notes, fmt.Sprintf(format, args...))
}

// finish completes the report: order, units, notes.
func (e *explainer) finish() {
	r := e.report
	if len(r.Lines) == 0 && len(e.lines) > 0 { // nothing was compiled
		e.join(nil)
	}
	for _, o := range e.outside {
		r.Outside = append(r.Outside, *o)
	}
	slices.SortFunc(r.Outside, func(a, b Outside) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Package, b.Package))
	})
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	var paths []string
	for _, m := range e.modules {
		paths = append(paths, m.Path)
	}
	r.Module = strings.Join(paths, ", ")
	r.folders, r.own = map[string]string{}, map[string]bool{}
	for importPath, meta := range e.byPath {
		r.folders[importPath] = meta.Dir
		r.own[importPath] = slices.ContainsFunc(e.modules, func(m userpkg.Module) bool { return m.Path == meta.Module.Path })
	}
	e.benchmarks()
	e.notes()
	if r.Per != nil {
		n := r.Per.N
		for _, figure := range []*float64{&r.Objects, &r.Bytes, &r.ModuleObjects, &r.ModuleBytes} {
			*figure /= n
		}
		for i := range r.Lines {
			l := &r.Lines[i]
			for _, figure := range []*float64{&l.Objects, &l.Bytes, &l.ObjectsMargin, &l.BytesMargin} {
				*figure /= n
			}
		}
		for i := range r.Outside {
			r.Outside[i].Objects /= n
			r.Outside[i].Bytes /= n
		}
	}
	if !e.InUse && len(e.Labels) == 0 {
		r.Collections = e.profile.collections(r.Bytes, r.Per)
	}
}

// notes says what the figures and the reasons rest on.
func (e *explainer) notes() {
	changed, negative := 0, 0
	for _, l := range e.report.Lines {
		if l.Changed != "" && !isTest(l.File) {
			changed++
		}
		if l.Bytes < 0 {
			negative++
		}
	}
	switch {
	case e.profile.Rate == 0:
		e.note("The profile does not say how many bytes were allocated from sample to sample, so the margins assume %d, the "+
			"runtime's default.", DefaultRate)
	case e.profile.columns[allocObjects] < 0 && e.profile.columns[inUseObjects] < 0:
		e.note("The profile counts bytes and no objects, so that the number of samples is an estimate.")
	}
	switch {
	case e.Binary == nil && len(e.lines) > 0:
		e.note("Without the program (%s FILE) it is not known which function of the runtime was called, so a reason of "+
			"a line may be missing, or one too many.", cmp.Or(e.BinaryFlag, "--binary"))
	case e.Binary != nil && e.Binary.image == nil:
		e.note("The code of %s cannot be read (%s), only how it was built: a reason of a line may be missing.", e.Binary.Name,
			e.Binary.unread)
	}
	if changed > 0 {
		e.note("The sources are not the program's: %d of the lines are not there any more and not explained.", changed)
	}
	if negative > 0 {
		e.note("The base has more than the profile on %d lines, whose figures are negative.", negative)
	}
}
