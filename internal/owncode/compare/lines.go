package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"onthestack/internal/verdict"
)

// lines adds the lines that changed in a benchmark, and sets its Elsewhere to the part of the change that is on none of
// them.
func (c *Comparison) lines(b *Benchmark, groups []Group, old, new *verdict.Verdict) {
	before, after := byLine(old, b.Name), byLine(new, b.Name)
	b.Elsewhere = b.measured
	for _, g := range groups {
		l := Line{Benchmark: b.Name}
		l.Old, l.Shared = at(g.Old, before)
		is, shared := at(g.New, after)
		l.New, l.Shared = is, l.Shared || shared
		l.Change = Change{difference(l.Old.AllocsPerOp, l.New.AllocsPerOp),
			difference(l.Old.BytesPerOp, l.New.BytesPerOp)}
		b.Elsewhere.AllocsPerOp -= l.AllocsPerOp
		b.Elsewhere.BytesPerOp -= l.BytesPerOp
		if c.baseline && l.Old.Why != "" && l.New.Why != "" &&
			near(l.Old.AllocsPerOp, l.New.AllocsPerOp, b.Allocs.Old) &&
			near(l.Old.BytesPerOp, l.New.BytesPerOp, b.Bytes.Old) {
			l.New.AllocsPerOp, l.New.BytesPerOp, l.Change = l.Old.AllocsPerOp, l.Old.BytesPerOp, Change{}
		}
		if l.Kind = c.kind(&l); l.Kind != "" {
			c.Lines = append(c.Lines, l)
		} else if l.New.Why != "" {
			c.Unchanged++
		}
		// The counts of lines that share tiny objects are estimates, and may change although the code did not. Their
		// sum is exact.
		c.More = c.More || !l.Shared && (l.Kind == Started || l.Kind == More)
	}
	if c.baseline && !b.Differs() {
		b.Elsewhere = Change{}
	}
	b.Elsewhere.AllocsPerOp = unexplainedChange(b.Elsewhere.AllocsPerOp, b.Allocs)
	b.Elsewhere.BytesPerOp = unexplainedChange(b.Elsewhere.BytesPerOp, b.Bytes)
	c.More = c.More || Change{difference(b.Allocs.Old, b.Allocs.New), difference(b.Bytes.Old, b.Bytes.New)}.grew()
}

// byLine returns a benchmark's allocations by line.
func byLine(v *verdict.Verdict, benchmark string) map[position][]verdict.Allocation {
	all := map[position][]verdict.Allocation{}
	for _, a := range v.Allocations {
		if a.Benchmark == benchmark {
			p := position{a.File, a.Line}
			all[p] = append(all[p], a)
		}
	}
	return all
}

// at returns the sum of what lines allocate.
func at(places []Place, allocations map[position][]verdict.Allocation) (sum At, shared bool) {
	sum = At{Places: slices.Clone(places), Reasons: []verdict.Reason{}}
	if sum.Places == nil {
		sum.Places = []Place{}
	}
	var whys []string
	for _, p := range places {
		var reasons []verdict.Reason // functions on the same line, such as closures, share its reasons
		for _, a := range allocations[position{p.File, p.Line}] {
			sum.AllocsPerOp += a.AllocsPerOp
			sum.BytesPerOp += a.BytesPerOp
			shared = shared || a.Shared
			if reasons == nil {
				reasons = a.Reasons
			}
			if why := cmp.Or(a.Why, "for a reason that was not saved"); !slices.Contains(whys, why) {
				whys = append(whys, why)
			}
		}
		sum.Reasons = append(sum.Reasons, reasons...)
	}
	sum.Why = strings.Join(whys, "; ")
	return sum, shared
}

// kind returns the kind of a line's change, "" for none, and sets l.ReasonChanged. A baseline has one reason of each
// line, for all benchmarks, so that it may differ although nothing changed.
func (c *Comparison) kind(l *Line) string {
	switch {
	case l.Old.Why == "" && l.New.Why == "":
		return ""
	case l.Old.Why == "":
		return Started
	case l.New.Why == "":
		return Stopped
	}
	l.ReasonChanged = !c.baseline && OtherReasons(l)
	switch {
	case l.grew():
		return More
	case l.Change != Change{}:
		return Fewer
	case l.ReasonChanged:
		return Reason
	}
	return ""
}

// grew reports whether the figures count as more: by allocs/op, and by B/op if these are equal.
func (c Change) grew() bool { return c.AllocsPerOp > 0 || c.AllocsPerOp == 0 && c.BytesPerOp > 0 }

// OtherReasons reports whether a line that allocates on both sides does so for different reasons. It compares the
// words and, if the text of the line is the same, the steps of the compiler's flows: in an edited line, these differ as
// soon as a variable is renamed.
func OtherReasons(l *Line) bool {
	if l.Old.Why != l.New.Why {
		return true
	}
	return sameText(l.Old.Places, l.New.Places) && !slices.Equal(steps(l.Old.Reasons), steps(l.New.Reasons))
}

func sameText(a, b []Place) bool {
	return slices.EqualFunc(a, b, func(a, b Place) bool { return normal(a.Code) == normal(b.Code) })
}

// steps returns the messages of the reasons' flows without repetitions.
func steps(reasons []verdict.Reason) []string {
	var all []string
	for _, r := range reasons {
		for _, s := range r.Flow {
			if s.Message != "" && !slices.Contains(all, s.Message) {
				all = append(all, s.Message)
			}
		}
	}
	return all
}

// difference returns new − old, or 0 if they differ only by the rounding of sums.
func difference(old, new float64) float64 {
	if d := new - old; math.Abs(d) > 1e-9*max(1, math.Abs(old), math.Abs(new)) {
		return d
	}
	return 0
}

// unexplainedChange returns left, the part of a figure's change that no line has, or 0 if that is only rounding.
func unexplainedChange(left float64, figure Exact) float64 {
	if math.Abs(left) > 1e-6*max(1, figure.Old, figure.New) {
		return left
	}
	return 0
}
