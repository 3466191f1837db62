package verdict

import (
	"fmt"
	"math"
	"slices"

	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// measure fills in Benchmarks and Allocations. Where the report lacks a measurement it returns what went wrong, in words.
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
			return fmt.Sprintf("%s failed: what the function does under the benchmark is wrong\n%s", target.name, shorten(run.Output))
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

// benchmark holds a measurement against its target.
func benchmark(m wire.Benchmark, target target) Benchmark {
	b := Benchmark{
		Name: target.name, N: m.N, NsPerOp: m.NsPerOp, BytesPerOp: m.BytesPerOp, AllocsPerOp: m.AllocsPerOp,
		TargetAllocs: target.allocs, TargetBytes: target.bytes,
	}
	b.Pass = (b.TargetAllocs == nil || b.AllocsPerOp <= *b.TargetAllocs) && (b.TargetBytes == nil || b.BytesPerOp <= *b.TargetBytes)
	return b
}

// madeElsewhere reports whether another line than those that opened blocks of tiny objects may have made some, which always found
// room in a block. A line that made others objects, as many as the compiler announced values there, made those.
func madeElsewhere(mayMake map[place]int, lines []profile.Line) bool {
	for at, n := range mayMake {
		i := slices.IndexFunc(lines, func(l profile.Line) bool { return l.File == at.file && l.Line == at.line })
		if i < 0 || lines[i].Tiny == 0 && n > 1 {
			return true
		}
	}
	return false
}

// perOperation makes allocations of the lines of a profile over so many operations, with tiny objects: several of them share a
// block and the profile records only who opened it, while the benchmark counts them all. What it counts beyond the profile belongs
// to the lines that allocate such blocks. That is exact with one such line, unless others may have made tiny objects too.
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
