package heapdiff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/schematest"
)

// A drawn is a line of a program whose samples are drawn: per unit, it allocates so many objects of each size.
type drawn struct {
	name  string
	sizes map[int64]float64
}

// drawnProgram draws a program with lines of one to three sizes, of which a profile of units at a rate has from less than
// one to some thousand samples.
func drawnProgram(r *rand.Rand, lines int, rate int64, units float64) (program []drawn) {
	for i := range lines {
		d := drawn{fmt.Sprintf("line%d", i), map[int64]float64{}}
		for range 1 + r.IntN(3) {
			size := int64(8) << r.IntN(14)
			samples := math.Exp(r.Float64()*9 - 1)
			d.sizes[size] = samples / sampledPart(size, rate) / units
		}
		program = append(program, d)
	}
	return program
}

// sampledPart is the probability with which an object is sampled.
func sampledPart(size, rate int64) float64 { return -math.Expm1(-float64(size) / float64(rate)) }

// profile draws the profile of a program that ran for so many units. A factor changes what a line allocates.
func profile(r *rand.Rand, program []drawn, rate int64, units float64, factors map[string]float64) *heapprofile.Report {
	report := &heapprofile.Report{Rate: rate, Module: "example.com/drawn", Measure: "allocated"}
	for i, d := range program {
		l := heapprofile.Line{Package: "example.com/drawn", File: "a.go", Line: i + 1, Func: "F", Code: d.name}
		for _, size := range []int64{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536} {
			each, ok := d.sizes[size]
			if !ok {
				continue
			}
			if f, ok := factors[d.name]; ok {
				each *= f
			}
			p := sampledPart(size, rate)
			k := binomial(r, math.Round(each*units), p)
			objects, variance := k/p, k*(1-p)/(p*p)
			l.Objects += objects
			l.Bytes += objects * float64(size)
			l.Sampled.Add(heapprofile.Estimate{Samples: k, Objects: variance, Bytes: variance * float64(size*size)})
		}
		report.Objects += l.Objects
		report.Bytes += l.Bytes
		if l.Objects > 0 {
			report.Lines = append(report.Lines, l)
		}
	}
	return report
}

// binomial draws how many of n objects are sampled, each with probability p. The gaps between samples are geometric.
func binomial(r *rand.Rand, n, p float64) (k float64) {
	for at := 0.0; ; k++ {
		at += math.Ceil(math.Log(1-r.Float64()) / math.Log1p(-p))
		if at > n {
			return k
		}
	}
}

func per(n float64) *heapprofile.Per { return &heapprofile.Per{Unit: "requests", N: n} }

func compared(t *testing.T, old, new *heapprofile.Report, units [2]float64) *Comparison {
	t.Helper()
	c, err := Compare(Side{"old", old, per(units[0])}, Side{"new", new, per(units[1])})
	if err != nil {
		t.Fatal(err)
	}
	schematest.Check(t, "schema.json", c)
	return c
}

// TestNoAlarm proves with drawn samples that two profiles of the same program have no changes, in 200 of 200
// comparisons: of as many requests, of twice and of half as many.
func TestNoAlarm(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 7))
	for _, rate := range []int64{4096, 512 << 10} {
		for i := range 100 {
			units := [2]float64{1000, []float64{1000, 2000, 500}[i%3]}
			program := drawnProgram(r, 1+r.IntN(100), rate, units[0])
			c := compared(t, profile(r, program, rate, units[0], nil), profile(r, program, rate, units[1], nil), units)
			if c.More || len(c.Lines) > 0 || c.Bytes.Changed || c.Objects.Changed {
				t.Errorf("rate %d, units %v: more %v, bytes %+v, objects %+v, lines %+v", rate, units, c.More, c.Bytes,
					c.Objects, c.Lines)
			}
			if c.Unchanged == 0 && len(program) > 20 {
				t.Errorf("no line has enough samples: %+v", c)
			}
		}
	}
}

// TestChange proves with drawn samples that a line that allocates 20 % more is found, and no other line, also if the
// second profile has other numbers of requests.
func TestChange(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 8))
	for _, rate := range []int64{4096, 512 << 10} {
		for i := range 50 {
			units := [2]float64{1000, []float64{1000, 2000, 900}[i%3]}
			program := drawnProgram(r, 60, rate, units[0])
			const size = 256
			program = append(program, drawn{"changed", map[int64]float64{size: 8000 / sampledPart(size, rate) / units[0]}})
			for factor, kind := range map[float64]string{1.2: compare.More, 0.8: compare.Fewer} {
				c := compared(t, profile(r, program, rate, units[0], nil),
					profile(r, program, rate, units[1], map[string]float64{"changed": factor}), units)
				if len(c.Lines) != 1 || c.Lines[0].Kind != kind || c.Lines[0].New.Places[0].Code != "changed" ||
					c.More != (kind == compare.More) {
					t.Errorf("rate %d, units %v, factor %v: more %v, %+v", rate, units, factor, c.More, c.Lines)
				}
			}
		}
	}
}

// TestMargin proves with drawn samples that the true difference is within the margin for 19 of 20 lines.
func TestMargin(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 9))
	within, all := 0, 0
	for range 50 {
		program := drawnProgram(r, 60, 4096, 1000)
		c := compared(t, profile(r, program, 4096, 1000, nil), profile(r, program, 4096, 1000, nil), [2]float64{1000, 1000})
		for _, l := range c.Same {
			all++
			if math.Abs(l.Bytes.New-l.Bytes.Old) <= l.Bytes.Margin {
				within++
			}
		}
	}
	if share := float64(within) / float64(all); share < 0.95 || share > 0.985 || all < 1500 {
		t.Errorf("%d of %d lines are within their margins: %.3f", within, all, share)
	}
}

// TestUnlikely tests Chernoff's bound against the exact probability of the binomial distribution, which it must not
// be under.
func TestUnlikely(t *testing.T) {
	test := &test{tests: 10}
	limit := 1.0 / (2 * falseAlarms * 10)
	for n := 1; n <= 400; n += 7 {
		for _, q := range []float64{0.5, 0.2, 0.9} {
			for k := range n + 1 {
				if float64(k) < q*float64(n) {
					continue
				}
				exact := 0.0 // the probability of k or more of n
				for i := k; i <= n; i++ {
					all, _ := math.Lgamma(float64(n + 1))
					these, _ := math.Lgamma(float64(i + 1))
					others, _ := math.Lgamma(float64(n - i + 1))
					exact += math.Exp(all - these - others + float64(i)*math.Log(q) + float64(n-i)*math.Log1p(-q))
				}
				if test.unlikely(float64(n-k), float64(k), float64(n), float64(n), [2]float64{1 - q, q}) && exact > limit {
					t.Fatalf("%d of %d, expected %v: unlikely, though the probability is %v", k, n, q, exact)
				}
			}
		}
	}
}
