package verdict

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
	"onthestack/internal/why"
)

// measure fills in Benchmarks, Allocations and Inside. If the report lacks a measurement, problem is the reason, for
// the reader. A benchmark that confirms another one is in Benchmarks only if it does not pass.
func (v *Verdict) measure(p *Package, r wire.Report, run *execution.TestRun) (problem string) {
	p.Diagnostics, p.Names = v.Escapes, v.Names
	c := comparison{subject: &p.Package, report: r, run: run}
	problem = c.compareAll(p.benchmarks)
	v.Benchmarks = append(v.Benchmarks, c.benchmarks...)
	v.Allocations, v.Inside = why.Explain(c.subject, c.measured, p.others)
	if problem == "" && !r.Done {
		return fmt.Sprintf("the program ended before its report did (exit code %d)\n%s", run.Exit, shorten(run.Output))
	}
	return problem
}

// A comparison compares the measurements in a report with targets.
type comparison struct {
	subject *why.Package
	report  wire.Report
	run     *execution.TestRun

	// benchmarks are the results so far that a verdict lists, and measured are their measurements.
	benchmarks []Benchmark
	measured   []wire.Benchmark
}

// compareAll compares the measurements with the targets, up to the first that the report lacks.
func (c *comparison) compareAll(targets []target) (problem string) {
	for _, target := range targets {
		m, problem := c.measurement(target)
		if problem != "" {
			return problem
		}
		b := c.compare(m, target)
		c.list(b, m)
		if b.Confirmed == 0 {
			continue
		}
		for _, confirmation := range target.confirmations() {
			m, problem := c.measurement(confirmation)
			if problem != "" {
				return problem
			}
			if b := c.compare(m, confirmation); !b.Pass {
				b.Confirms = target.Name
				c.list(b, m)
			}
		}
	}
	return ""
}

func (c *comparison) list(b Benchmark, m wire.Benchmark) {
	c.benchmarks, c.measured = append(c.benchmarks, b), append(c.measured, m)
}

// measurement returns the measurement of a benchmark. If the report lacks it, problem is the reason.
func (c *comparison) measurement(target target) (m wire.Benchmark, problem string) {
	i := slices.IndexFunc(c.report.Benchmarks, func(b wire.Benchmark) bool { return b.Name == target.Name })
	switch {
	case i < 0 && c.run.Stop.Kind != execution.NotStopped:
		return m, fmt.Sprintf("%s did not come to an end: the program %s\n%s", target.Name, c.run.Stop,
			shorten(c.run.Output))
	case i < 0:
		return m, fmt.Sprintf("the program ended before %s did (exit code %d)\n%s", target.Name, c.run.Exit,
			shorten(c.run.Output))
	case c.report.Benchmarks[i].Failed:
		return m, fmt.Sprintf("%s failed: the function returned a wrong result in the benchmark\n%s", target.Name,
			shorten(c.run.Output))
	}
	return c.report.Benchmarks[i], ""
}

// compare compares a measurement with its target.
func (c *comparison) compare(m wire.Benchmark, target target) Benchmark {
	b := benchmark(m, target)
	limit := float64(maxAllocatedAhead)
	if target.ahead != nil {
		limit = *target.ahead
	}
	if bytes, most := allocatedAhead(m, c.subject.Lines(m.HeldAtStart)); b.Pass && bytes > limit {
		b.Pass, b.Why = false, aheadMessage(bytes, limit, most)
	}
	return b
}

// maxAllocatedAhead bounds the bytes that a solution's own code holds when a benchmark's operations begin, plus the
// bytes that it allocates in the first operation. Buffers that have grown to their final size are within this limit.
// Memory for all the operations that confirm a pass is not. The manifest may set a lower bound.
const maxAllocatedAhead = 256 << 10

// allocatedAhead returns the number of bytes that a solution's own code allocated ahead of its operations, and the line
// that allocated most of the memory that is still held. Memory that tests hold does not count.
func allocatedAhead(m wire.Benchmark, held []profile.Line) (bytes float64, most profile.Line) {
	bytes = float64(m.FirstBytes)
	for _, l := range held {
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
		Name: target.Name, N: m.N, NsPerOp: m.NsPerOp, BytesPerOp: m.BytesPerOp, AllocsPerOp: m.AllocsPerOp,
		TargetAllocs: target.Allocs, TargetBytes: target.Bytes, Confirmed: m.Confirmed,
	}
	if m.Later.N > 0 {
		b.Later = &m.Later
	}
	if target.Live != nil {
		b.LiveBytesPerOp, b.TargetLiveBytes = &m.LiveBytesPerOp, target.Live
	}
	within := func(figure float64, most *float64) bool { return most == nil || figure <= *most }
	b.Pass = within(m.AllocsPerOp, target.Allocs) && within(m.BytesPerOp, target.Bytes) &&
		within(m.LiveBytesPerOp, target.Live)
	hasTarget := target.Allocs != nil || target.Bytes != nil || target.Live != nil
	if b.Pass && hasTarget && m.Confirmed < m.N {
		b.Pass, b.Why = false, "the targets were met at first, but not over more operations"
	}
	return b
}
