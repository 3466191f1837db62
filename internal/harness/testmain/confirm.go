package testmain

import (
	"math"
	"runtime"
	"testing"

	"onthestack/internal/harness/wire"
)

// measure measures b over n operations. Figures that meet b's targets are confirmed.
func measure(b Benchmark, n int) (wire.Benchmark, error) {
	m := newMeasurement(b.F)
	result := m.measure(b.Name, n)
	if b.asked() && b.met(result) {
		result = m.confirm(b, result, times()*n)
	}
	if m.err == nil && m.failed {
		return wire.Benchmark{Name: b.Name, Failed: true}, printFailure(testing.InternalBenchmark{Name: b.Name, F: b.F})
	}
	return result, m.err
}

func (b Benchmark) asked() bool { return b.Allocs < NoTarget || b.Bytes < NoTarget }

func (b Benchmark) met(m wire.Benchmark) bool {
	return m.AllocsPerOp <= b.Allocs && m.BytesPerOp <= b.Bytes
}

// times is over how many times the operations a benchmark is confirmed that meets its targets. It is a constant of the
// platform, and not as many as there is time for, so that the same code has the same verdict on a slow machine. Under
// WebAssembly an operation takes ten times as long and more.
func times() int {
	if runtime.GOARCH == "wasm" {
		return 10
	}
	return 20
}

// firsts is how many runs of a single operation there are, of which the one that allocates least is taken away.
const firsts = 3

// confirm counts once more what b allocates, over n operations, many times those of result: memory that was made ahead
// for some thousand operations runs out, and what a first operation may allocate beyond the others is next to nothing
// for each of them. Of several first operations the one counts that allocates least: what one allocates by chance
// lowers no figure.
//
// It returns result where b meets its targets again, with what was kept ahead, and otherwise what it counted, with the
// lines.
func (m *measurement) confirm(b Benchmark, result wire.Benchmark, n int) wire.Benchmark {
	many := m.run(n+1, counting)
	again := perOperation(many.used, used{}, n)
	if !b.met(again) {
		least := m.run(1, counting).used
		for range firsts - 1 {
			least = least.least(m.run(1, counting).used)
		}
		again = perOperation(many.used, least, n)
		if !b.met(again) {
			// Once more, to learn where, and what of it the runtime allocated by chance.
			i := len(m.recorded)
			least = least.least(m.run(1, locating).used)
			many = m.run(n+1, locating)
			located, chance := m.difference(i).cutCaches()
			many.allocs -= uint64(chance.objects())
			many.bytes -= uint64(chance.bytes())
			again = perOperation(many.used, least, n)
			again.Stacks = located.stacks()
		}
	}
	if b.met(again) {
		first := m.run(1, sampling)
		result.Confirmed, result.FirstBytes, result.Kept = n, int64(first.bytes-m.keeping),
			m.kept.estimated(sampling).stacks()
		return result
	}
	again.Name, again.NsPerOp = b.Name, float64(many.time.Nanoseconds())/float64(n+1)
	return again
}

// perOperation divides what many, n+1 operations, used beyond one by their number. Where one cannot have been the first
// among the many, the average is over all.
func perOperation(many, one used, n int) wire.Benchmark {
	over := n
	if !plausible(many, one, n) {
		one, over = used{}, n+1
	}
	return wire.Benchmark{
		N: n, Profiled: over,
		AllocsPerOp: float64(many.allocs-one.allocs) / float64(over),
		BytesPerOp:  float64(many.bytes-one.bytes) / float64(over),
	}
}

// least is the lesser of both counts.
func (u used) least(v used) used { return used{min(u.allocs, v.allocs), min(u.bytes, v.bytes)} }

// estimated is what was allocated, given a profile that was sampled at a rate in bytes: of objects of a size the sample
// holds the share 1-exp(-size/rate), as package runtime/pprof has it.
func (p profile) estimated(rate float64) profile {
	all := make(profile, len(p))
	for i, r := range p {
		all[i] = record{r.site, int64(math.Round(float64(r.objects) / (1 - math.Exp(-float64(r.size)/rate))))}
	}
	return all
}
