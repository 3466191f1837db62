package verdict

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// An OtherPackage is a package that benchmarks of a UserPackage call, and that allocates for them.
type OtherPackage struct {
	ImportPath string
	Files      map[string][]byte // by base name
	// Diagnostics and ValueOf are as in UserPackage.
	Diagnostics []escape.Diagnostic
	ValueOf     func(escape.Diagnostic) (escape.Value, bool)
}

// Limits on the other packages that are explained: on their number, and on the part of a benchmark's objects that one
// of them allocates.
const (
	mostOthers  = 30
	leastInside = 0.001
)

// Callees returns the import paths of the other packages that allocate for the benchmarks, of those that are wanted,
// most objects first. Packages that allocate next to nothing are left out.
func (u UserPackage) Callees(wanted func(importPath string) bool) []string {
	most := map[string]float64{} // the largest part in any benchmark
	for _, run := range u.Runs {
		report, err := wire.Parse(run.Report)
		if err != nil {
			continue // Explain says so
		}
		for _, b := range report.Benchmarks {
			objects := map[string]float64{}
			profile.Callees(objects, b.Stacks, []string{u.ImportPath, u.ImportPath + "_test"}, wanted)
			for pkg, n := range objects {
				most[pkg] = max(most[pkg], n/max(1, b.AllocsPerOp*float64(b.Profiled)))
			}
		}
	}
	var paths []string
	for pkg, part := range most {
		if part >= leastInside {
			paths = append(paths, pkg)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(most[b], most[a]), strings.Compare(a, b))
	})
	return paths[:min(len(paths), mostOthers)]
}

// Instantiators returns the import paths of the other packages, of those that are wanted, that call generic functions
// of such packages in the benchmarks. The compiler's report on a generic function is part of the report on its callers.
func (u UserPackage) Instantiators(wanted func(importPath string) bool) []string {
	paths := map[string]bool{}
	for _, run := range u.Runs {
		report, err := wire.Parse(run.Report)
		if err != nil {
			continue // Explain says so
		}
		for _, b := range report.Benchmarks {
			profile.Instantiators(paths, b.Stacks, wanted)
		}
	}
	delete(paths, u.ImportPath) // its report is there, with that on its tests
	delete(paths, u.ImportPath+"_test")
	maps.DeleteFunc(paths, func(path string, _ bool) bool { return !wanted(path) })
	return slices.Sorted(maps.Keys(paths))
}

// inside fills in Inside. Each object is attributed to the innermost line in any of the packages, so no line of Inside
// counts what another one does.
func (u UserPackage) inside(v *Verdict, benchmarks []wire.Benchmark) {
	if len(u.Others) == 0 {
		return
	}
	type other struct {
		*OtherPackage
		calls  *callGraph
		report *compilerReport
	}
	others := map[string]other{}
	for i := range u.Others {
		o := &u.Others[i]
		if o.ValueOf == nil {
			o.ValueOf = func(escape.Diagnostic) (escape.Value, bool) { return escape.Value{}, false }
		}
		escape.MarkStorage(o.Diagnostics, storedBy(o.ValueOf))
		escape.NameValues(o.Diagnostics, o.Files)
		others[o.ImportPath] = other{o, newCallGraph(&Package{ImportPath: o.ImportPath, Files: o.Files}),
			newReport(o.Diagnostics, o.ValueOf)}
	}
	place := func(f wire.Frame) (profile.Place, bool) {
		name := path.Base(f.File)
		if path.Dir(f.File) == u.ImportPath { // see localize
			return profile.Place{Package: u.ImportPath, File: name}, true
		}
		for _, o := range others {
			// A function of another package may be linked under a name in this one, and its file
			// may have the same name.
			if strings.HasPrefix(f.Func, o.ImportPath+".") && o.Files[name] != nil {
				function := o.calls.function(name, f.Line)
				return profile.Place{Package: o.ImportPath, File: name, Function: function},
					strings.Contains(f.Func, function)
			}
		}
		return profile.Place{}, false
	}
	for i, b := range benchmarks {
		lines := profile.Attribute(b.Stacks, place)
		recorded := newRecording(b, lines)
		for j := range lines {
			if o, ok := others[lines[j].Package]; ok {
				lines[j].Tiny = max(0, lines[j].Tiny-o.report.exceptTiny(&lines[j]))
				recorded.small -= o.report.countSmall(&lines[j])
			}
		}
		const othersMayAllocate = true
		for _, a := range perOperation(v.Benchmarks[i], recorded, lines, othersMayAllocate) {
			o, ok := others[a.Package]
			if !ok {
				continue // a line of the package itself
			}
			a.Code = lineText(o.Files[a.File], a.Line)
			o.report.names = u.Names
			o.report.explain(&a)
			v.Inside = append(v.Inside, a)
		}
	}
	mostFirst(v.Inside)
}
