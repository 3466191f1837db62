package testmain

import (
	"runtime"
	"runtime/debug"

	"onthestack/internal/harness/wire"
)

// operations is the number of operations that the figures of an exercise's benchmark are over.
const operations = 1000

// memoryLimit is where the garbage collector sets in again while benchmarks run: low enough for the 256 MiB that a
// program has under WebAssembly, high enough that no exercise comes near.
const memoryLimit = 160 << 20

// quiet keeps out of a measurement what the benchmark did not do: collections of garbage, and goroutines of the runtime
// that a second processor would wake.
func quiet() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

// measure tells how much the benchmark of that name allocates in one of n operations, and where. All of it is a
// difference between a run of n+1 operations and a run of one: what the benchmark does before its loop, or in its first
// operation alone, is in both and falls out.
//
// Allocations are counted over many operations and located over few: under WebAssembly, recording one with its stack
// takes 50 µs. Where the few do not allocate exactly their share of what the many do, as when a slice grows now and
// then or tiny objects share a block, both are taken from a run of many that is recorded whole. Where the one is not
// what a first operation can have been among the many, nothing is taken away: the average is over all, and the lines
// are those of all.
//
// Left out is what the runtime allocates by chance; see cutCaches. What measure returns counts where the measurement
// has not failed.
func (m *measurement) measure(name string, n int) wire.Benchmark {
	m.run(1, counting) // warms up what is made on first use anywhere
	many := m.run(n+1, counting)
	result := wire.Benchmark{Name: name, N: n, NsPerOp: float64(many.time.Nanoseconds()) / float64(n+1), Profiled: n}
	if many.used != (used{}) {
		one := m.run(1, locating)
		over := n
		located, ok := m.locate(many.used, one.used, n)
		if ok {
			result.Profiled = few
		} else {
			many = m.run(n+1, locating)
			if located = m.difference(0); !plausible(many.used, one.used, n) {
				one, over, located = run{}, n+1, m.last()
			}
			result.Profiled = over
		}
		located, chance := located.cutCaches()
		result.AllocsPerOp = float64(int64(many.allocs-one.allocs)-chance.objects()) / float64(over)
		result.BytesPerOp = float64(int64(many.bytes-one.bytes)-chance.bytes()) / float64(over)
		result.Stacks = located.stacks()
	}
	return result
}

// firstAllocs and firstBytes are how much the first operation may allocate beyond the average of all.
const (
	firstAllocs = 64
	firstBytes  = 8 << 10
)

// plausible reports whether one can have been the first operation among the many, n+1: it may allocate more than the
// average, and no more than so much more. A function that at times, by chance, allocates a lot in its first operation
// would otherwise come out below what it allocates.
func plausible(many, one used, n int) bool {
	first := used{many.allocs/uint64(n+1) + firstAllocs, many.bytes/uint64(n+1) + firstBytes}
	return one.allocs <= min(many.allocs, first.allocs) && one.bytes <= min(many.bytes, first.bytes)
}

// few is the number of operations over which allocations are located: whole rounds of a benchmark that takes 40 inputs,
// or 20, 10 or 8, by turns.
const few = 40

// locate finds where a few operations allocate, given what n+1 and one use. It is false where they do not tell of the
// many.
func (m *measurement) locate(many, one used, n int) (located profile, ok bool) {
	expected, ok := share(few, many, one, n)
	if !ok || n <= few || m.run(few+1, locating).used != expected {
		return nil, false
	}
	located = m.difference(0)
	// Something else was recorded where this is not so, as a setup that allocates by chance.
	return located, located.bytes() == int64(expected.bytes-one.bytes)
}

// share is what k+1 operations use when all but the first use equal parts of what n+1 use and one does not. It is false
// where there is no such whole number, or where the one is not plausible.
func share(k int, many, one used, n int) (used, bool) {
	part := func(many, one uint64) (uint64, bool) {
		rest := (many - one) * uint64(k)
		return one + rest/uint64(n), rest%uint64(n) == 0
	}
	allocs, wholeAllocs := part(many.allocs, one.allocs)
	bytes, wholeBytes := part(many.bytes, one.bytes)
	return used{allocs, bytes}, plausible(many, one, n) && wholeAllocs && wholeBytes
}
