package present

import (
	"cmp"
	"slices"

	"onthestack/internal/verdict"
)

// A Figure is allocs/op and B/op in one benchmark.
type Figure struct {
	Benchmark               string
	AllocsPerOp, BytesPerOp float64
}

// figures adds allocations to the sums by benchmark, which are in the order in which they name the benchmarks.
func figures(sums []Figure, allocations ...verdict.Allocation) []Figure {
	for _, a := range allocations {
		i := slices.IndexFunc(sums, func(f Figure) bool { return f.Benchmark == a.Benchmark })
		if i < 0 {
			i = len(sums)
			sums = append(sums, Figure{Benchmark: a.Benchmark})
		}
		sums[i].Add(a.AllocsPerOp, a.BytesPerOp)
	}
	return sums
}

// Add adds what is allocated per operation.
func (f *Figure) Add(allocs, bytes float64) {
	f.AllocsPerOp += allocs
	f.BytesPerOp += bytes
}

// most returns the figure with the most allocs/op. Among equals it returns the figure with the most B/op.
func most(figures []Figure) Figure {
	if len(figures) == 0 {
		return Figure{}
	}
	return slices.MaxFunc(figures, Figure.compare)
}

func (f Figure) compare(other Figure) int {
	return cmp.Or(cmp.Compare(f.AllocsPerOp, other.AllocsPerOp), cmp.Compare(f.BytesPerOp, other.BytesPerOp))
}

// Shares has the totals of a verdict's benchmarks by name: the measured figure or the sum over the lines, whichever is
// larger. It computes from them which share of the total a line allocates.
type Shares map[string]Figure

// SharesOf returns the Shares of v's benchmarks.
func SharesOf(v *verdict.Verdict) Shares {
	totals := Shares{}
	for _, f := range figures(nil, v.Allocations...) {
		totals[f.Benchmark] = f
	}
	for _, b := range v.Benchmarks {
		t := totals[b.Name]
		totals[b.Name] = Figure{b.Name, max(t.AllocsPerOp, b.AllocsPerOp), max(t.BytesPerOp, b.BytesPerOp)}
	}
	return totals
}

// Of returns the largest share, from 0 to 1, that one of the figures has in its benchmark's allocs/op or B/op.
func (s Shares) Of(figures []Figure) float64 {
	share := 0.0
	for _, f := range figures {
		t := s[f.Benchmark]
		share = max(share, Part(f.AllocsPerOp, t.AllocsPerOp), Part(f.BytesPerOp, t.BytesPerOp))
	}
	return min(share, 1)
}

// Part returns which part of a total a figure is, 0 if the total is 0.
func Part(figure, total float64) float64 {
	if total == 0 {
		return 0
	}
	return figure / total
}
