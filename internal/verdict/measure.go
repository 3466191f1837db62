package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// measure fills in Benchmarks and Allocations. Where the report lacks a measurement it returns what went wrong, in words.
func (v *Verdict) measure(p *Package, r report, run *Run) (problem string, err error) {
	for _, target := range p.benchmarks {
		i := slices.IndexFunc(r.benchmarks, func(b wire.Benchmark) bool { return b.Name == target.name })
		switch {
		case i < 0 && run.Stopped != "":
			return fmt.Sprintf("%s did not come to an end: the program %s\n%s", target.name, run.Stopped, shorten(run.Output)), nil
		case i < 0:
			return fmt.Sprintf("the program ended before %s did (exit code %d)\n%s", target.name, run.Exit, shorten(run.Output)), nil
		case r.benchmarks[i].Failed:
			return fmt.Sprintf("%s failed: what the function does under the benchmark is wrong\n%s", target.name, shorten(run.Output)), nil
		}
		b, err := benchmark(r.benchmarks[i], target)
		if err != nil {
			return "", err
		}
		v.Benchmarks = append(v.Benchmarks, b)
		lines, err := allocatingLines(p, r.benchmarks[i])
		if err != nil {
			return "", err
		}
		v.Allocations = append(v.Allocations, perOperation(b, lines, announcedElsewhere(v.Escapes, lines))...)
	}
	if !r.done {
		return fmt.Sprintf("the program ended before its report did (exit code %d)\n%s", run.Exit, shorten(run.Output)), nil
	}
	return "", nil
}

// benchmark reads the measurement's line and holds it against its target.
func benchmark(m wire.Benchmark, target target) (Benchmark, error) {
	reader := benchfmt.NewReader(strings.NewReader(m.Line+"\n"), "report")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		b := Benchmark{Name: target.name, N: result.Iters, TargetAllocs: target.allocs, TargetBytes: target.bytes}
		var known [3]bool
		b.NsPerOp, known[0] = result.Value("ns/op")
		b.BytesPerOp, known[1] = result.Value("B/op")
		b.AllocsPerOp, known[2] = result.Value("allocs/op")
		if !known[0] {
			// benchfmt normalizes ns/op to sec/op.
			var sec float64
			sec, known[0] = result.Value("sec/op")
			b.NsPerOp = sec * 1e9
		}
		if known != [3]bool{true, true, true} {
			break
		}
		b.Pass = (b.TargetAllocs == nil || b.AllocsPerOp <= *b.TargetAllocs) && (b.TargetBytes == nil || b.BytesPerOp <= *b.TargetBytes)
		return b, nil
	}
	return Benchmark{}, fmt.Errorf("%s: the report has no measurement: %q", target.name, m.Line)
}

func allocatingLines(p *Package, m wire.Benchmark) ([]profile.Line, error) {
	var terms []profile.Term
	for _, t := range m.Profiles {
		terms = append(terms, profile.Term{Scale: t.Scale, Proto: t.Proto})
	}
	own := func(file string) bool { _, ok := p.Files[file]; return ok && file != harness.MainFile }
	lines, err := profile.Fold(terms, p.ImportPath, own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return lines, nil
}

// announcedElsewhere reports whether the compiler announced a heap value on a line that the profile does not have: one that did
// not run, or one whose tiny objects always found room in a block that another line opened.
func announcedElsewhere(escapes []escape.Diagnostic, lines []profile.Line) bool {
	return slices.ContainsFunc(escapes, func(d escape.Diagnostic) bool {
		return announces(d) && !slices.ContainsFunc(lines, func(l profile.Line) bool { return l.File == d.File && l.Line == d.Line })
	})
}

// perOperation makes allocations of profile lines, with tiny objects: several of them share a block and the profile records only
// who opened it, while the benchmark counts them all. What it counts beyond the profile belongs to the lines that allocate such
// blocks. That is exact with one such line, unless others, by what the compiler announced, may have made tiny objects too.
func perOperation(b Benchmark, lines []profile.Line, others bool) []Allocation {
	n := float64(b.N)
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
		a := Allocation{Benchmark: b.Name, File: l.File, Line: l.Line, Func: l.Func, Callees: l.Callees, Reasons: []Reason{},
			AllocsPerOp: l.Objects / n, BytesPerOp: l.Bytes / n}
		if l.Tiny > 0 && missing > 0 {
			a.AllocsPerOp += missing * l.Tiny / tiny / n
			a.Shared = tinyLines > 1 || others
		}
		allocations = append(allocations, a)
	}
	return allocations
}
