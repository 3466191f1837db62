package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// measure fills in Benchmarks and Allocations. If the report lacks a measurement, problem is the reason, for the
// reader. A benchmark that confirms another one is in Benchmarks only if it does not pass.
func (v *Verdict) measure(p *Package, r wire.Report, run *execution.TestRun) (problem string) {
	c := comparison{p: p, report: r, run: run, calls: newCallGraph(p), said: newReport(v.Escapes, p.value), v: v}
	for _, target := range p.benchmarks {
		b, allocations, problem := c.compare(target)
		if problem != "" {
			return problem
		}
		v.Benchmarks, v.Allocations = append(v.Benchmarks, b), append(v.Allocations, allocations...)
		if b.Confirmed == 0 {
			continue
		}
		for _, confirmation := range target.confirmations() {
			b, allocations, problem := c.compare(confirmation)
			if problem != "" {
				return problem
			}
			if !b.Pass {
				b.Confirms = target.name
				v.Benchmarks, v.Allocations = append(v.Benchmarks, b), append(v.Allocations, allocations...)
			}
		}
	}
	if !r.Done {
		return fmt.Sprintf("the program ended before its report did (exit code %d)\n%s", run.Exit, shorten(run.Output))
	}
	return ""
}

// A comparison compares the measurements in a report with targets.
type comparison struct {
	p      *Package
	v      *Verdict
	report wire.Report
	run    *execution.TestRun
	calls  *callGraph
	said   *compilerReport
}

// compare returns a benchmark, and the lines that allocate in it. If the report lacks it, problem is the reason.
func (c comparison) compare(target target) (b Benchmark, allocations []Allocation, problem string) {
	i := slices.IndexFunc(c.report.Benchmarks, func(b wire.Benchmark) bool { return b.Name == target.name })
	switch {
	case i < 0 && c.run.Stop.Kind != execution.NotStopped:
		problem = fmt.Sprintf("%s did not come to an end: the program %s\n%s", target.name, c.run.Stop,
			shorten(c.run.Output))
	case i < 0:
		problem = fmt.Sprintf("the program ended before %s did (exit code %d)\n%s", target.name, c.run.Exit,
			shorten(c.run.Output))
	case c.report.Benchmarks[i].Failed:
		problem = fmt.Sprintf("%s failed: the function returned a wrong result in the benchmark\n%s", target.name,
			shorten(c.run.Output))
	}
	if problem != "" {
		return b, nil, problem
	}
	m := c.report.Benchmarks[i]
	own := func(file string, line int) (string, bool) {
		_, ok := c.p.Files[file]
		return c.calls.function(file, line), ok && file != harness.MainFile
	}
	b = benchmark(m, target)
	limit := float64(maxAllocatedAhead)
	if target.ahead != nil {
		limit = *target.ahead
	}
	if bytes, most := allocatedAhead(m, profile.Fold(m.HeldAtStart, c.p.ImportPath, own)); b.Pass && bytes > limit {
		b.Pass, b.Why = false, aheadMessage(bytes, limit, most)
	}
	lines := profile.Fold(m.Stacks, c.p.ImportPath, own)
	recorded := newRecording(m, lines)
	for i := range lines {
		lines[i].Tiny = max(0, lines[i].Tiny-c.said.exceptTiny(&lines[i]))
		recorded.small -= c.said.countSmall(&lines[i])
	}
	others := otherLinesMayAllocate(
		c.calls.tinyAllocSites(target.name, c.v.Escapes, target.allocs != nil, c.said.value), lines)
	return b, perOperation(b, recorded, lines, others), ""
}

// maxAllocatedAhead bounds the bytes that a solution's own code holds when a benchmark's operations begin, plus those
// that it allocates in the first operation. Buffers that have grown to their final size are within this limit. Memory
// for all the operations that confirm a pass is not. The manifest may set a lower bound.
const maxAllocatedAhead = 256 << 10

// allocatedAhead returns the number of bytes that a solution's own code allocated ahead of its operations, and the line
// that allocated most of the memory that is still held. Memory that tests hold does not count.
func allocatedAhead(m wire.Benchmark, kept []profile.Line) (bytes float64, most profile.Line) {
	bytes = float64(m.FirstBytes)
	for _, l := range kept {
		if strings.HasSuffix(l.File, "_test.go") {
			continue
		}
		bytes += l.Bytes
		if l.Bytes > most.Bytes {
			most = l
		}
	}
	return bytes, most
}

// aheadMessage returns the message that too much memory was allocated ahead of the operations.
func aheadMessage(bytes, limit float64, most profile.Line) string {
	place := "in the first operation"
	if most.File != "" {
		place = fmt.Sprintf("most of it on line %d of %s", most.Line, most.File)
	}
	return fmt.Sprintf("the code allocates %.0f KiB ahead of the counted operations, %s; at most %.0f KiB are "+
		"allowed: let operations reuse memory instead",
		bytes/1024, place, limit/1024)
}

// benchmark compares a measurement with its target. Figures that meet a target but were not confirmed do not pass.
func benchmark(m wire.Benchmark, target target) Benchmark {
	b := Benchmark{
		Name: target.name, N: m.N, NsPerOp: m.NsPerOp, BytesPerOp: m.BytesPerOp, AllocsPerOp: m.AllocsPerOp,
		TargetAllocs: target.allocs, TargetBytes: target.bytes, Confirmed: m.Confirmed,
	}
	if m.Later.N > 0 {
		b.Later = &Later{m.Later.N, m.Later.AllocsPerOp, m.Later.BytesPerOp}
	}
	if target.live != nil {
		b.LiveBytesPerOp, b.TargetLiveBytes = &m.LiveBytesPerOp, target.live
	}
	switch {
	case target.allocs == nil && target.bytes == nil && target.live == nil:
		b.Pass = true
	default:
		b.Pass = (target.allocs == nil || m.AllocsPerOp <= *target.allocs) &&
			(target.bytes == nil || m.BytesPerOp <= *target.bytes) &&
			(target.live == nil || m.LiveBytesPerOp <= *target.live)
		if b.Pass && m.Confirmed < m.N {
			b.Pass, b.Why = false, "the targets were met at first, but not over more operations"
		}
	}
	return b
}

// otherLinesMayAllocate reports whether a line absent from the profile may have allocated tiny objects, all of which
// fitted into blocks that other lines had opened. Counts per line are then estimates (Shared). A line that is in the
// profile without tiny objects, and for which the compiler announced a single value, allocated that value and no tiny
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

// withoutChance returns lines that allocate less by that excess. A profile is the difference of two runs. A line that
// allocated at random, more often in the first run than in the second, is not in it, and the others have more than the
// operations allocated. Chance shows on the lines that do not allocate the same number of objects in each operation,
// so the excess is taken from them, or from all if they have less.
func withoutChance(lines []profile.Line, excess, operations float64) []profile.Line {
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
	// objects is how many objects are on no line: those of goroutines of other packages, and of calls too deep for the
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
// added to the lines that opened blocks, in proportion to their blocks, and not to those that opened the same number in
// each operation if there are others.
// The result is exact if there is one such line, nothing elsewhere opened blocks, and others is false, that is, if no
// other line may have allocated tiny objects.
//
// If tiny objects were recorded apart, objects need not be distributed, and are exact, as are their bytes. What the
// benchmark counted beyond these is the rest of the blocks that they share, the same for each object.
func perOperation(b Benchmark, r recording, lines []profile.Line, others bool) []Allocation {
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
	allocations := []Allocation{}
	for _, l := range withoutChance(lines, max(0, recorded-b.AllocsPerOp*n), n) {
		if l.Objects == 0 && l.Bytes < n { // by chance, rather than a size that grows with the operations
			continue
		}
		a := Allocation{
			Benchmark: b.Name, Package: l.Package, File: l.File, Line: l.Line, Func: l.Func, Callees: l.Callees,
			causes: l.Causes, parts: l.Parts, callers: l.Callers, operations: n, tinyMissing: missing > 0 && l.Tiny > 0,
			Reasons: []Reason{}, AllocsPerOp: l.Objects / n, BytesPerOp: (l.Bytes + padding*l.Small) / n,
			padding: padding,
		}
		if l.Tiny > 0 && missing > 0 && (unevenLines == 0 || isUneven(l)) {
			a.AllocsPerOp = (l.Objects + missing*l.Tiny/tiny) / n
			a.Shared = tinyLines > 1 || r.tiny > 0 || others
		}
		allocations = append(allocations, a)
	}
	return allocations
}
