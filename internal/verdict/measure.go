package verdict

import (
	"fmt"
	"math"
	"slices"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// measure fills in Benchmarks and Allocations. Where the report lacks a measurement it returns what went wrong, in words.
func (v *Verdict) measure(p *Package, r wire.Report, run *Run) (problem string) {
	for _, target := range p.benchmarks {
		i := slices.IndexFunc(r.Benchmarks, func(b wire.Benchmark) bool { return b.Name == target.name })
		switch {
		case i < 0 && run.Stopped != "":
			return fmt.Sprintf("%s did not come to an end: the program %s\n%s", target.name, run.Stopped, shorten(run.Output))
		case i < 0:
			return fmt.Sprintf("the program ended before %s did (exit code %d)\n%s", target.name, run.Exit, shorten(run.Output))
		case r.Benchmarks[i].Failed:
			return fmt.Sprintf("%s failed: what the function does under the benchmark is wrong\n%s", target.name, shorten(run.Output))
		}
		m := r.Benchmarks[i]
		b := benchmark(m, target)
		v.Benchmarks = append(v.Benchmarks, b)
		own := func(file string) bool { _, ok := p.Files[file]; return ok && file != harness.MainFile }
		lines := profile.Fold(m.Stacks, p.ImportPath, own)
		v.Allocations = append(v.Allocations, perOperation(b, m.Profiled, lines, announcedElsewhere(v.Escapes, lines))...)
	}
	if !r.Done {
		return fmt.Sprintf("the program ended before its report did (exit code %d)\n%s", run.Exit, shorten(run.Output))
	}
	return ""
}

// benchmark holds a measurement against its target.
func benchmark(m wire.Benchmark, target target) Benchmark {
	b := Benchmark{
		Name: target.name, N: m.N, NsPerOp: m.NsPerOp, BytesPerOp: m.BytesPerOp, AllocsPerOp: m.AllocsPerOp,
		TargetAllocs: target.allocs, TargetBytes: target.bytes,
	}
	b.Pass = (b.TargetAllocs == nil || b.AllocsPerOp <= *b.TargetAllocs) && (b.TargetBytes == nil || b.BytesPerOp <= *b.TargetBytes)
	return b
}

// announcedElsewhere reports whether the compiler announced a heap value on a line that the profile does not have: one that did
// not run, or one whose tiny objects always found room in a block that another line opened.
func announcedElsewhere(escapes []escape.Diagnostic, lines []profile.Line) bool {
	return slices.ContainsFunc(escapes, func(d escape.Diagnostic) bool {
		return announces(d) && !slices.ContainsFunc(lines, func(l profile.Line) bool { return l.File == d.File && l.Line == d.Line })
	})
}

// perOperation makes allocations of the lines of a profile over so many operations, with tiny objects: several of them share a block and the profile records only
// who opened it, while the benchmark counts them all. What it counts beyond the profile belongs to the lines that allocate such
// blocks. That is exact with one such line, unless others, by what the compiler announced, may have made tiny objects too.
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
