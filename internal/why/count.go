package why

import (
	"math"
	"slices"

	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// A line is an Allocation under construction, with what the profile has of it.
type line struct {
	Allocation
	// callers and parts are as in profile.Line, and parts are over so many operations.
	callers    []string
	parts      []profile.Part
	operations float64
	// padding is how many bytes of blocks are counted for each tiny object beside its own.
	padding float64
	// sampled is true if the objects are scaled from samples of a program that ran for an unknown number of operations.
	sampled bool
}

// count returns the lines of the package that allocate in a benchmark, with their figures.
func (r *compilerReport) count(b wire.Benchmark) []line {
	lines := r.pkg.Lines(b.Stacks)
	recorded := newRecording(b, lines)
	for i := range lines {
		recorded.small -= r.countSmall(&lines[i])
	}
	return perOperation(b, recorded, lines, func() bool {
		if r.calls == nil {
			r.calls = newCallGraph(r.pkg)
		}
		return otherLinesMayAllocate(r.calls.tinyAllocSites(b.Name), lines)
	})
}

// otherLinesMayAllocate reports whether a line absent from the profile may have allocated tiny objects, all of which
// fitted into blocks that other lines had opened. Counts per line are then estimates (Shared). A line that is in the
// profile without tiny objects, and for which the compiler reports a single value, allocated that value and no tiny
// object.
func otherLinesMayAllocate(tinyAllocSites map[sourceLine]int, lines []profile.Line) bool {
	for at, n := range tinyAllocSites {
		i := slices.IndexFunc(lines, func(l profile.Line) bool { return l.File == at.file && l.Line == at.line })
		if i < 0 || lines[i].Tiny == 0 && n > 1 {
			return true
		}
	}
	return false
}

// withoutExcess returns lines that allocate less by the excess of what was recorded over what the benchmark counted. A
// profile is the difference of two runs. A line that allocated at random, more often in the first run than in the
// second, is not in it, and the others have more than the operations allocated. Chance shows on the lines that do not
// allocate the same number of objects in each operation, so the excess is taken from them, or from all if they have
// less.
//
// This is the chance of the program itself. Objects that the runtime allocates at random are known by their stacks, and
// package testmain leaves them out of all figures (splitChance).
func withoutExcess(lines []profile.Line, excess, operations float64) []profile.Line {
	var random, all float64
	atRandom := func(l profile.Line) bool { return math.Mod(l.Objects, operations) != 0 }
	for _, l := range lines {
		all += l.Objects
		if atRandom(l) {
			random += l.Objects
		}
	}
	switch {
	case excess < 0.5: // less than an object is rounding
		return lines
	case excess >= all: // the operations allocate nothing
		return nil
	}
	left := []profile.Line{}
	for _, l := range lines {
		part := 1.0
		switch {
		case random < excess:
			part = 1 - excess/all
		case atRandom(l):
			part = 1 - excess/random
		}
		l.Objects, l.Bytes, l.Tiny = l.Objects*part, l.Bytes*part, l.Tiny*part
		if part > 0 {
			left = append(left, l)
		}
	}
	return left
}

// A recording describes a profile whose stacks were attributed to lines.
type recording struct {
	operations float64
	bytes      float64 // of all stacks
	// objects is how many objects are on no line: of goroutines of other packages, and of calls too deep for the
	// profile. tiny is how many of them are tiny, as in profile.Line.
	objects, tiny float64
	// apart is true if each tiny object was recorded, as in wire.Benchmark. small is how many there are, in all
	// stacks.
	apart bool
	small float64
}

func newRecording(m wire.Benchmark, lines []profile.Line) recording {
	r := recording{operations: float64(m.Profiled), apart: m.Apart}
	r.objects, r.bytes, r.tiny = profile.Sum(m.Stacks)
	for _, l := range lines {
		r.objects -= l.Objects
		r.tiny -= l.Tiny
	}
	r.objects, r.tiny = max(0, r.objects), max(0, r.tiny)
	for _, s := range m.Stacks {
		if s.Size < profile.TinyBlock {
			r.small += float64(s.Objects)
		}
	}
	return r
}

// perOperation divides the lines of a profile by the number of operations, and distributes the tiny objects. Several
// tiny objects share a block of 16 bytes, and the profile records only the one that opened it, while the benchmark's
// count includes all of them. The difference between that count and everything recorded, on the lines and elsewhere, is
// added to the lines that opened blocks, in proportion to their blocks. Lines that opened the same number in each
// operation get none of it if there are others. The result is exact if there is one such line, nothing elsewhere opened
// blocks, and others returns false, that is, if no other line may have allocated tiny objects.
//
// If tiny objects were recorded apart, objects need not be distributed, and are exact, as are their bytes. What the
// benchmark counted beyond these is the rest of the blocks that they share, the same for each object.
func perOperation(b wire.Benchmark, r recording, lines []profile.Line, others func() bool) []line {
	n := r.operations
	var recorded, tiny, uneven float64
	var tinyLines, unevenLines int
	// Lines that open the same number of blocks in each operation share no blocks with lines that do not.
	isUneven := func(l profile.Line) bool { return math.Mod(l.Tiny, n) != 0 }
	for _, l := range lines {
		recorded += l.Objects
		if l.Tiny > 0 {
			tiny += l.Tiny
			tinyLines++
		}
		if isUneven(l) {
			uneven += l.Tiny
			unevenLines++
		}
	}
	if unevenLines > 0 {
		tiny, tinyLines = uneven, unevenLines
	}
	missing := max(0, math.Round(b.AllocsPerOp*n)-recorded-r.objects)
	padding := 0.0 // of each tiny object
	if r.apart {
		missing = 0
		if r.small > 0 {
			padding = min(profile.TinyBlock, max(0, b.BytesPerOp*n-r.bytes)/r.small)
		}
	}
	tiny += r.tiny
	var counted []line
	for _, l := range withoutExcess(lines, max(0, recorded-b.AllocsPerOp*n), n) {
		if l.Objects == 0 && l.Bytes < n { // by chance, rather than a size that grows with the operations
			continue
		}
		a := line{
			Allocation: Allocation{
				Benchmark: b.Name, Package: l.Package, File: l.File, Line: l.Line, Func: l.Func, Callees: l.Callees,
				Causes: l.Causes, Reasons: []Reason{}, AllocsPerOp: l.Objects / n,
				BytesPerOp: (l.Bytes + padding*l.Small) / n,
			},
			parts: l.Parts, callers: l.Callers, operations: n, padding: padding,
		}
		if l.Tiny > 0 && missing > 0 && (unevenLines == 0 || isUneven(l)) {
			a.AllocsPerOp = (l.Objects + missing*l.Tiny/tiny) / n
			a.Shared = tinyLines > 1 || r.tiny > 0 || others()
		}
		counted = append(counted, a)
	}
	return counted
}

// allocsOf returns how many of the given objects of a part are allocated per operation. Tiny objects that the profile
// did not record are shared out in proportion to the blocks that were, among the parts that do not have the same number
// of blocks in each operation. If there are several, the result is an estimate.
func (a *line) allocsOf(part *profile.Part, objects map[profile.Object]float64) (allocs float64, estimated bool) {
	var recorded, blocks, uneven float64
	isUneven := func(tiny float64) bool { return math.Mod(tiny, a.operations) != 0 }
	for i := range a.parts {
		all, tiny := countTiny(a.parts[i].Sizes)
		recorded, blocks = recorded+all, blocks+tiny
		if isUneven(tiny) {
			uneven += tiny
		}
	}
	all, tiny := countTiny(objects)
	_, ofPart := countTiny(part.Sizes)
	switch total := a.AllocsPerOp * a.operations; {
	case total > recorded && uneven > 0 && !isUneven(ofPart):
	case total > recorded && blocks > 0:
		if uneven > 0 {
			blocks = uneven
		}
		all += (total - recorded) * tiny / blocks
		estimated = 0 < tiny && tiny < blocks
	case recorded > 0:
		all *= total / recorded
	}
	return all / a.operations, estimated
}

// countTiny returns how many objects there are, and how many of them may be tiny.
func countTiny(objects map[profile.Object]float64) (all, tiny float64) {
	for o, n := range objects {
		all += n
		if profile.MayBeTiny(o.Cause, o.Size) {
			tiny += n
		}
	}
	return all, tiny
}
