package verdict

import (
	"fmt"
	"math"
	"slices"

	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// measure fills in Benchmarks and Allocations. If the report lacks a measurement, it returns the reason for the reader.
func (v *Verdict) measure(p *Package, r wire.Report, run *Run) (problem string) {
	reach := newReach(p)
	for _, target := range p.benchmarks {
		i := slices.IndexFunc(r.Benchmarks, func(b wire.Benchmark) bool { return b.Name == target.name })
		switch {
		case i < 0 && run.Stopped != "":
			return fmt.Sprintf("%s did not come to an end: the program %s\n%s", target.name, run.Stopped, shorten(run.Output))
		case i < 0:
			return fmt.Sprintf("the program ended before %s did (exit code %d)\n%s", target.name, run.Exit, shorten(run.Output))
		case r.Benchmarks[i].Failed:
			return fmt.Sprintf("%s failed: the function returned a wrong result in the benchmark\n%s", target.name, shorten(run.Output))
		}
		m := r.Benchmarks[i]
		b := benchmark(m, target)
		v.Benchmarks = append(v.Benchmarks, b)
		own := func(file string, line int) (string, bool) {
			_, ok := p.Files[file]
			return reach.function(file, line), ok && file != harness.MainFile
		}
		lines := profile.Fold(m.Stacks, p.ImportPath, own)
		v.Allocations = append(v.Allocations, perOperation(b, m.Profiled, lines, madeElsewhere(reach.mayMake(target.name, v.Escapes, target.allocs != nil), lines))...)
	}
	if !r.Done {
		return fmt.Sprintf("the program ended before its report did (exit code %d)\n%s", run.Exit, shorten(run.Output))
	}
	return ""
}

// benchmark compares a measurement with its target.
func benchmark(m wire.Benchmark, target target) Benchmark {
	b := Benchmark{
		Name: target.name, N: m.N, NsPerOp: m.NsPerOp, BytesPerOp: m.BytesPerOp, AllocsPerOp: m.AllocsPerOp,
		TargetAllocs: target.allocs, TargetBytes: target.bytes,
	}
	b.Pass = (b.TargetAllocs == nil || b.AllocsPerOp <= *b.TargetAllocs) && (b.TargetBytes == nil || b.BytesPerOp <= *b.TargetBytes)
	return b
}

// madeElsewhere reports whether a line absent from the profile may have allocated tiny objects, all of which fitted into blocks that
// other lines had opened. Counts per line are then estimates (Shared). A line that the profile has without tiny objects, and for
// which the compiler announced a single value, allocated that value and no tiny object.
func madeElsewhere(mayMake map[place]int, lines []profile.Line) bool {
	for at, n := range mayMake {
		i := slices.IndexFunc(lines, func(l profile.Line) bool { return l.File == at.file && l.Line == at.line })
		if i < 0 || lines[i].Tiny == 0 && n > 1 {
			return true
		}
	}
	return false
}

// perOperation divides the lines of a profile by the number of operations, and distributes the tiny objects. Several tiny objects
// share a block of 16 bytes, and the profile records only the one that opened it, while the benchmark's count includes all of them.
// The difference is added to the lines that opened blocks, in proportion to their blocks. The result is exact if there is one such
// line and others is false, that is, if no other line may have allocated tiny objects.
func perOperation(b Benchmark, operations int, lines []profile.Line, others bool) []Allocation {
	n := float64(operations)
	var recorded, tiny float64
	var tinyLines int
	for _, l := range lines {
		recorded += l.Objects
		if l.Tiny > 0 {
			tiny += l.Tiny
			tinyLines++
		}
	}
	missing := max(0, math.Round(b.AllocsPerOp*n)-recorded)
	allocations := []Allocation{}
	for _, l := range lines {
		a := Allocation{Benchmark: b.Name, File: l.File, Line: l.Line, Func: l.Func, Callees: l.Callees, causes: l.Causes, Reasons: []Reason{},
			AllocsPerOp: l.Objects / n, BytesPerOp: l.Bytes / n}
		if l.Tiny > 0 && missing > 0 {
			a.AllocsPerOp += missing * l.Tiny / tiny / n
			a.Shared = tinyLines > 1 || others
		}
		allocations = append(allocations, a)
	}
	return allocations
}
