package compare

import (
	"slices"

	"golang.org/x/perf/benchmath"

	"onthestack/internal/verdict"
)

// confidence is the level of the intervals around a median, the same as benchstat's.
const confidence = 0.95

// A Benchmark is the change of one benchmark's figures.
type Benchmark struct {
	Name   string `json:"name"`
	OldN   int    `json:"old_n"` // operations
	NewN   int    `json:"new_n"`
	Allocs Exact  `json:"allocs_per_op"`
	Bytes  Exact  `json:"bytes_per_op"`
	Ns     Noisy  `json:"ns_per_op"`
	// Elsewhere is the part of the change that is not on any line of the package.
	Elsewhere Change `json:"elsewhere"`

	measured Change // also if the figures may be the same as in a baseline
}

// Differs reports whether a figure changed, or the time significantly.
func (b Benchmark) Differs() bool { return b.Allocs.Differs() || b.Bytes.Differs() || b.Ns.Differs() }

// A Change is a difference per operation.
type Change struct {
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
}

// An Exact is a figure that is the same in every run. Delta is in benchstat's format: "-50.00%", "0.00%", or "?" if the
// old figure is 0 and the new one is not.
type Exact struct {
	Old   float64 `json:"old"`
	New   float64 `json:"new"`
	Delta string  `json:"delta"`
}

// Differs reports whether the figure changed.
func (e Exact) Differs() bool { return e.Old != e.New }

// insignificant is the Delta of a difference that may be noise.
const insignificant = "~"

// Differs reports whether the difference is significant.
func (n Noisy) Differs() bool { return n.Delta != insignificant }

// A Noisy is a figure that varies from run to run: the medians of the samples, and whether they differ by the
// Mann-Whitney U test. A verdict without samples counts as a single sample.
type Noisy struct {
	Old Sample `json:"old"`
	New Sample `json:"new"`
	// Delta is "-12.30%", or "~" if the difference is not significant at the 0.05 level.
	Delta string  `json:"delta"`
	P     float64 `json:"p"` // the probability of such samples if there is no difference, 0 to 1
	// Warnings are the test's: too few samples, or all of them equal.
	Warnings []string `json:"warnings"`
}

// A Sample summarizes the measurements of one side.
type Sample struct {
	Median float64 `json:"median"`
	// Range is the distance of the bounds of the 95% confidence interval from the median: "2%", or "∞" with fewer than
	// six measurements.
	Range string `json:"range"`
	N     int    `json:"n"` // measurements; 0 on both sides if the old is a baseline
}

// benchmarks compares the benchmarks that both sides have. If several have the same name, the first counts.
func (c *Comparison) benchmarks(old, new []verdict.Benchmark) {
	before := map[string]verdict.Benchmark{}
	for _, b := range slices.Backward(old) {
		before[b.Name] = b
	}
	seen := map[string]bool{}
	for _, b := range new {
		if seen[b.Name] {
			continue
		}
		seen[b.Name] = true
		was, ok := before[b.Name]
		if !ok {
			c.OnlyNew = append(c.OnlyNew, b.Name)
			continue
		}
		compared := Benchmark{
			Name: b.Name, OldN: was.N, NewN: b.N,
			Allocs: exact(was.AllocsPerOp, b.AllocsPerOp),
			Bytes:  exact(was.BytesPerOp, b.BytesPerOp),
			Ns:     Noisy{Delta: insignificant, P: 1, Warnings: []string{}},

			measured: Change{b.AllocsPerOp - was.AllocsPerOp, b.BytesPerOp - was.BytesPerOp},
		}
		switch {
		case !c.baseline:
			compared.Ns = noisy(samples(was), samples(b))
		case near(was.AllocsPerOp, b.AllocsPerOp, was.AllocsPerOp) &&
			near(was.BytesPerOp, b.BytesPerOp, was.BytesPerOp):
			compared.Allocs = exact(was.AllocsPerOp, was.AllocsPerOp)
			compared.Bytes = exact(was.BytesPerOp, was.BytesPerOp)
		}
		c.Benchmarks = append(c.Benchmarks, compared)
	}
	for _, b := range old {
		if !seen[b.Name] {
			seen[b.Name] = true
			c.OnlyOld = append(c.OnlyOld, b.Name)
		}
	}
}

func exact(old, new float64) Exact {
	if difference(old, new) == 0 {
		new = old
	}
	s1 := benchmath.NewSample([]float64{old}, &benchmath.DefaultThresholds)
	s2 := benchmath.NewSample([]float64{new}, &benchmath.DefaultThresholds)
	return Exact{old, new, benchmath.AssumeExact.Compare(s1, s2).FormatDelta(old, new)}
}

// samples returns the benchmark's measurements of ns/op. The caller may sort them.
func samples(b verdict.Benchmark) []float64 {
	if len(b.NsSamples) == 0 {
		return []float64{b.NsPerOp}
	}
	return slices.Clone(b.NsSamples)
}

func noisy(old, new []float64) Noisy {
	s1, s2 := benchmath.NewSample(old, &benchmath.DefaultThresholds), benchmath.NewSample(new,
		&benchmath.DefaultThresholds)
	n := Noisy{Old: summary(s1), New: summary(s2), Warnings: []string{}}
	test := benchmath.AssumeNothing.Compare(s1, s2)
	n.P, n.Delta = test.P, test.FormatDelta(n.Old.Median, n.New.Median)
	for _, w := range test.Warnings {
		n.Warnings = append(n.Warnings, w.Error())
	}
	return n
}

func summary(s *benchmath.Sample) Sample {
	sum := benchmath.AssumeNothing.Summary(s, confidence)
	return Sample{sum.Center, sum.PctRangeString(), len(s.Values)}
}
