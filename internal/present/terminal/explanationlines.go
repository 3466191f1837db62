package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// mergeClosures adds a line's allocations in closures to its allocations in the function around them, for each
// benchmark.
func mergeClosures(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		benchmark, pkg, file string
		line                 int
		fn                   string
	}
	indexes := map[key]int{}
	var sums []verdict.Allocation
	for _, a := range allocations {
		k := key{a.Benchmark, a.Package, a.File, a.Line, why.Outermost(a.Func)}
		i, known := indexes[k]
		if !known {
			indexes[k] = len(sums)
			sums = append(sums, a)
			continue
		}
		sum := &sums[i]
		sum.AllocsPerOp += a.AllocsPerOp
		sum.BytesPerOp += a.BytesPerOp
		sum.Shared = sum.Shared || a.Shared
		if !strings.Contains(sum.Why, a.Why) {
			sum.Why += "; " + a.Why
		}
	}
	return sums
}

// rare is the part of a benchmark's allocations under which a line with rare allocations is not worth showing.
const rare = 0.001

// withoutRare returns the allocations without lines that allocate less than once in a thousand operations, and next to
// nothing of what the benchmark allocates.
func withoutRare(v *verdict.Verdict, all []verdict.Allocation) []verdict.Allocation {
	total := map[string]verdict.Benchmark{}
	for _, b := range v.Benchmarks {
		total[b.Name] = b
	}
	return slices.DeleteFunc(slices.Clone(all), func(a verdict.Allocation) bool {
		b := total[a.Benchmark]
		return a.AllocsPerOp < rare && a.AllocsPerOp < rare*b.AllocsPerOp && a.BytesPerOp < rare*b.BytesPerOp
	})
}

// largest returns the n allocations that allocate most, in their order, and how many others there are. If n is 0, it
// returns all.
func largest(lines []verdict.Allocation, n int) (shown []verdict.Allocation, less int) {
	if n == 0 || len(lines) <= n {
		return lines, 0
	}
	allocs := make([]float64, len(lines))
	for i, a := range lines {
		allocs[i] = a.AllocsPerOp
	}
	slices.SortFunc(allocs, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, a := range lines {
		if a.AllocsPerOp >= allocs[n-1] && len(shown) < n {
			shown = append(shown, a)
		}
	}
	return shown, len(lines) - len(shown)
}

// byLine returns one allocation for each line: of the benchmark in which the line allocates most often, with the number
// of benchmarks added to its name. The lines of a function stand together, and the function that allocates most comes
// first.
func byLine(allocations []verdict.Allocation) []verdict.Allocation {
	type key struct {
		pkg, file string
		line      int
		fn        string
	}
	indexes, benchmarks := map[key]int{}, map[key]int{}
	sums := map[key]float64{} // by function, over all benchmarks
	function := func(a verdict.Allocation) key {
		return key{pkg: a.Package, file: a.File, fn: why.Outermost(a.Func)}
	}
	var lines []verdict.Allocation
	for _, a := range mergeClosures(allocations) {
		k := key{a.Package, a.File, a.Line, why.Outermost(a.Func)}
		i, known := indexes[k]
		benchmarks[k]++
		sums[function(a)] += a.AllocsPerOp
		switch {
		case !known:
			indexes[k] = len(lines)
			lines = append(lines, a)
		case a.AllocsPerOp > lines[i].AllocsPerOp:
			lines[i] = a
		}
	}
	for i, a := range lines {
		if n := benchmarks[key{a.Package, a.File, a.Line, why.Outermost(a.Func)}]; n > 1 {
			lines[i].Benchmark += fmt.Sprintf(" (most of %d benchmarks)", n)
		}
	}
	slices.SortStableFunc(lines, func(a, b verdict.Allocation) int {
		fa, fb := function(a), function(b)
		return cmp.Or(cmp.Compare(sums[fb], sums[fa]), strings.Compare(fa.pkg, fb.pkg),
			strings.Compare(fa.file, fb.file), strings.Compare(fa.fn, fb.fn))
	})
	return lines
}
