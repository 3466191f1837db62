package verdict

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/profile"
)

// Limits on the other packages that are explained: on their number, and on the part of a benchmark's objects that one
// of them allocates.
const (
	maxOthers = 30
	minInside = 0.001
)

// Callees returns the import paths of the wanted packages that allocate for the benchmarks, most objects first. Packages
// that allocate next to nothing are left out.
func (u UserPackage) Callees(wanted func(importPath string) bool) []string {
	most := map[string]float64{} // the largest part in any benchmark
	for _, run := range u.Runs {
		for _, b := range run.Measured.Benchmarks {
			objects := map[string]float64{}
			profile.Callees(objects, b.Stacks, []string{u.ImportPath, u.ImportPath + "_test"}, wanted)
			for pkg, n := range objects {
				most[pkg] = max(most[pkg], n/max(1, b.AllocsPerOp*float64(b.Profiled)))
			}
		}
	}
	var paths []string
	for pkg, part := range most {
		if part >= minInside {
			paths = append(paths, pkg)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(most[b], most[a]), strings.Compare(a, b))
	})
	return paths[:min(len(paths), maxOthers)]
}

// Instantiators returns the import paths of the wanted packages that call generic functions of wanted packages in the
// benchmarks. The compiler's report on a generic function is part of the report on its callers.
func (u UserPackage) Instantiators(wanted func(importPath string) bool) []string {
	paths := map[string]bool{}
	for _, run := range u.Runs {
		for _, b := range run.Measured.Benchmarks {
			profile.Instantiators(paths, b.Stacks, wanted)
		}
	}
	delete(paths, u.ImportPath) // its report is there, with that on its tests
	delete(paths, u.ImportPath+"_test")
	maps.DeleteFunc(paths, func(path string, _ bool) bool { return !wanted(path) })
	return slices.Sorted(maps.Keys(paths))
}
