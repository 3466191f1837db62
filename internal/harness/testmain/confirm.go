package testmain

import (
	"math"
	"runtime"
	"testing"

	"onthestack/internal/harness/wire"
)

// measure measures b over n operations. If the figures meet b's targets, it confirms them over more.
func measure(b Benchmark, n int) (wire.Benchmark, error) {
	m := newMeasurement(b.F)
	result := m.measure(b.Name, n)
	if b.Live < NoTarget {
		keeps := b.confirmation(0)
		live := newMeasurement(keeps.F)
		result.LiveBytesPerOp = live.live(n)
		if live.err != nil || live.failed {
			result, err := live.reported(keeps, result)
			result.Name = b.Name
			return result, err
		}
	}
	if b.hasTarget() && b.met(result) {
		b.Live = NoTarget // the first of b.Confirm measures it over more operations
		m.heldRate = samplingFinely
		again := m.confirm(b, confirmFactor()*n)
		if again.Confirmed > 0 {
			result.Confirmed, result.FirstBytes, result.HeldAtStart = again.Confirmed, again.FirstBytes, again.HeldAtStart
		} else {
			again.Name, again.LiveBytesPerOp = b.Name, max(again.LiveBytesPerOp, result.LiveBytesPerOp)
			result = again
		}
	}
	return m.reported(b, result)
}

// confirm measures a benchmark that confirms another one over n operations.
func confirm(b Benchmark, n int) (wire.Benchmark, error) {
	m := newMeasurement(b.F)
	m.run(1, counting) // a warm-up, for what is allocated on first use
	result := m.confirm(b, n)
	result.Name = b.Name
	return m.reported(b, result)
}

// confirmation returns the benchmark b.Confirm[i] with its targets.
func (b Benchmark) confirmation(i int) Benchmark {
	c := Benchmark{Name: b.Confirm[i].Name, F: b.Confirm[i].F, Allocs: b.Allocs, Bytes: b.Bytes, Live: NoTarget}
	if i == 0 {
		c.Live = b.Live
	}
	return c
}

// reported returns the result of measuring b, or prints b's message if it failed.
func (m *measurement) reported(b Benchmark, result wire.Benchmark) (wire.Benchmark, error) {
	if m.err == nil && m.failed {
		return wire.Benchmark{Name: b.Name, Failed: true}, printFailure(testing.InternalBenchmark{Name: b.Name, F: b.F})
	}
	return result, m.err
}

func (b Benchmark) hasTarget() bool {
	return b.Allocs < NoTarget || b.Bytes < NoTarget || b.Live < NoTarget
}

func (b Benchmark) met(m wire.Benchmark) bool {
	return m.AllocsPerOp <= b.Allocs && m.BytesPerOp <= b.Bytes && m.LiveBytesPerOp <= b.Live
}

// confirmFactor returns how many times as many operations confirm a pass as were run for the figures. It is a constant
// of the platform and does not depend on time, so that the same code gets the same verdict on a slow machine. Under
// WebAssembly an operation takes at least ten times as long.
func confirmFactor() int {
	if runtime.GOARCH == "wasm" {
		return 10
	}
	return 20
}

// firstRuns is how many runs of a single operation confirm makes. It subtracts the one that allocates least.
const firstRuns = 3

// confirm counts what b allocates over n operations, many times as many as were run for its figures. Memory that was
// allocated ahead for some thousand operations then runs out, and allocations of only the first operation add next to
// nothing to the average. confirm runs several first operations and uses the one that allocates least, so that a random
// allocation in one of them does not lower the result.
//
// If b meets its targets, the result is confirmed, and has the memory that was held at the start. Otherwise the result
// has the lines that allocate.
func (m *measurement) confirm(b Benchmark, n int) wire.Benchmark {
	live := 0.0
	if b.Live < NoTarget {
		live = m.live(n)
	}
	many := m.run(n+1, counting)
	figures := func(one used) wire.Benchmark {
		result := perOperation(many.used, one, n)
		result.LiveBytesPerOp = live
		return result
	}
	result := figures(used{})
	if !b.met(result) {
		least := m.run(1, counting).used
		for range firstRuns - 1 {
			least = least.min(m.run(1, counting).used)
		}
		result = figures(least)
		if !b.met(result) {
			// Run again to locate the allocations, and to subtract the allocations that the runtime made at random.
			i := len(m.recorded)
			least = least.min(m.run(1, locating).used)
			many = m.run(n+1, locating)
			located, chance := m.difference(i).splitChance()
			many.allocs -= uint64(chance.objects())
			many.bytes -= uint64(chance.bytes())
			result = figures(least)
			result.Stacks = located.stacks()
		}
	}
	result.NsPerOp = float64(many.time.Nanoseconds()) / float64(n+1)
	if b.met(result) {
		first := m.run(1, sampling)
		result.Stacks, result.Confirmed, result.FirstBytes = nil, n, int64(first.bytes-m.heldOverhead)
		result.HeldAtStart = m.held.estimated(float64(m.heldRate)).stacks()
	}
	return result
}

// perOperation divides what many used beyond one by the number of operations, where many is a run of n+1 operations and
// one a run of a single operation. If one is not plausible as the first operation among many, it averages over all n+1.
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

// estimated returns the allocations that a profile sampled at a rate in bytes stands for. The probability that an
// object of a size is sampled is 1-exp(-size/rate), as in package runtime/pprof.
func (p profile) estimated(rate float64) profile {
	all := make(profile, len(p))
	for i, r := range p {
		all[i] = record{r.site, int64(math.Round(float64(r.objects) / (1 - math.Exp(-float64(r.size)/rate))))}
	}
	return all
}
