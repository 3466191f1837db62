package present

import (
	"onthestack/internal/verdict"
)

// A Figure is allocs/op and B/op in one benchmark.
type Figure struct {
	Benchmark               string
	AllocsPerOp, BytesPerOp float64
}

// figures sums the allocations by benchmark, in the order in which they name the benchmarks.
func figures(allocations []verdict.Allocation) []Figure {
	var sums []Figure
	at := map[string]int{}
	for _, a := range allocations {
		i, known := at[a.Benchmark]
		if !known {
			i = len(sums)
			at[a.Benchmark] = i
			sums = append(sums, Figure{Benchmark: a.Benchmark})
		}
		sums[i].AllocsPerOp += a.AllocsPerOp
		sums[i].BytesPerOp += a.BytesPerOp
	}
	return sums
}

// most returns the figure with the most allocs/op. Among equals it returns the figure with the most B/op.
func most(figures []Figure) Figure {
	var m Figure
	for i, f := range figures {
		if i == 0 || f.AllocsPerOp > m.AllocsPerOp || f.AllocsPerOp == m.AllocsPerOp && f.BytesPerOp > m.BytesPerOp {
			m = f
		}
	}
	return m
}

// Shares has the totals of a verdict's benchmarks by name, and computes from them which share of the total a line
// allocates.
type Shares map[string]Figure

// SharesOf returns the Shares of v's benchmarks.
func SharesOf(v *verdict.Verdict) Shares {
	totals := Shares{}
	for _, f := range figures(v.Allocations) {
		totals[f.Benchmark] = f
	}
	for _, b := range v.Benchmarks {
		t := totals[b.Name]
		totals[b.Name] = Figure{b.Name, max(t.AllocsPerOp, b.AllocsPerOp), max(t.BytesPerOp, b.BytesPerOp)}
	}
	return totals
}

// Total returns what a benchmark allocates: the measured figure or the sum over its lines, whichever is larger.
func (s Shares) Total(benchmark string) Figure { return s[benchmark] }

// Of returns the largest share, from 0 to 1, that one of the figures has in its benchmark's allocs/op or B/op.
func (s Shares) Of(figures []Figure) float64 {
	share := 0.0
	for _, f := range figures {
		t := s[f.Benchmark]
		if t.AllocsPerOp > 0 {
			share = max(share, f.AllocsPerOp/t.AllocsPerOp)
		}
		if t.BytesPerOp > 0 {
			share = max(share, f.BytesPerOp/t.BytesPerOp)
		}
	}
	return min(share, 1)
}
