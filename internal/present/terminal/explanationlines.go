package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A function is a function with lines that allocate. Its closures belong to it.
type function struct{ pkg, file, name string }

func functionOf(a verdict.Allocation) function {
	return function{a.Package, a.File, why.Outermost(a.Func)}
}

// rare is the part of a benchmark's allocations under which a line with rare allocations is not worth showing.
const rare = 0.001

// withoutRare returns the allocations without lines that allocate less than once in a thousand operations, and next to
// nothing of what the benchmark allocates.
func withoutRare(v *verdict.Verdict, all []verdict.Allocation) []verdict.Allocation {
	return slices.DeleteFunc(slices.Clone(all), func(a verdict.Allocation) bool {
		b := benchmarkNamed(v, a.Benchmark)
		return b != nil && a.AllocsPerOp < min(rare, rare*b.AllocsPerOp) && a.BytesPerOp < rare*b.BytesPerOp
	})
}

// largest returns the n allocations that allocate most, in their order, and how many others there are. If n is 0, it
// returns all.
func largest(lines []verdict.Allocation, n int) (shown []verdict.Allocation, less int) {
	if n == 0 || len(lines) <= n {
		return lines, 0
	}
	most := slices.SortedFunc(slices.Values(lines), func(a, b verdict.Allocation) int {
		return cmp.Compare(b.AllocsPerOp, a.AllocsPerOp)
	})
	for _, a := range lines {
		if a.AllocsPerOp >= most[n-1].AllocsPerOp && len(shown) < n {
			shown = append(shown, a)
		}
	}
	return shown, len(lines) - len(shown)
}

// byLine returns one allocation for each line: of the benchmark in which the line allocates most often, with the number
// of benchmarks added to its name. What a line allocates in closures is added to what it allocates in the function
// around them. The lines of a function stand together, and the function that allocates most comes first.
func byLine(allocations []verdict.Allocation) []verdict.Allocation {
	type line struct {
		function
		number int
	}
	merged := map[line][]verdict.Allocation{} // one for each benchmark
	var order []line
	sums := map[function]float64{} // over all benchmarks
	for _, a := range allocations {
		l := line{functionOf(a), a.Line}
		if merged[l] == nil {
			order = append(order, l)
		}
		merged[l] = merge(merged[l], a)
		sums[l.function] += a.AllocsPerOp
	}
	slices.SortStableFunc(order, func(a, b line) int {
		return cmp.Or(cmp.Compare(sums[b.function], sums[a.function]), strings.Compare(a.pkg, b.pkg),
			strings.Compare(a.file, b.file), strings.Compare(a.name, b.name))
	})
	var lines []verdict.Allocation
	for _, l := range order {
		most := slices.MaxFunc(merged[l], func(a, b verdict.Allocation) int {
			return cmp.Compare(a.AllocsPerOp, b.AllocsPerOp)
		})
		if n := len(merged[l]); n > 1 {
			most.Benchmark += fmt.Sprintf(" (most of %d benchmarks)", n)
		}
		lines = append(lines, most)
	}
	return lines
}

// merge adds an allocation to the one of the same benchmark.
func merge(all []verdict.Allocation, a verdict.Allocation) []verdict.Allocation {
	i := slices.IndexFunc(all, func(other verdict.Allocation) bool { return other.Benchmark == a.Benchmark })
	if i < 0 {
		return append(all, a)
	}
	sum := &all[i]
	sum.AllocsPerOp += a.AllocsPerOp
	sum.BytesPerOp += a.BytesPerOp
	sum.Shared = sum.Shared || a.Shared
	if !strings.Contains(sum.Why, a.Why) {
		sum.Why += "; " + a.Why
	}
	return all
}
