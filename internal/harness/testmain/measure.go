package testmain

import (
	"runtime"
	"runtime/debug"
	"time"

	"onthestack/internal/harness/wire"
)

// operations is the number of operations that the figures of an exercise's benchmark are over.
const operations = 1000

// memoryLimit returns the size of the heap in bytes above which the garbage collector runs while benchmarks run, and in a
// page also while tests run. It is below the 256 MiB that a WebAssembly program has, and above what any exercise needs.
// In a page it is lower: the memory of the tab is largest while a program runs, and WebAssembly gives none of it back
// before the program ends.
func memoryLimit() int64 {
	if runtime.GOOS == "js" {
		return 40 << 20
	}
	return 160 << 20
}

// disableGC keeps out of a measurement what is not the benchmark's doing: garbage collections, goroutines of the
// runtime that a second processor would wake, and what a sleeping goroutine of the runtime allocates.
func disableGC() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit())
	reserveTimers()
}

// reservedTimers is more than the runtime's own goroutines have at any time.
const reservedTimers = 16

// reserveTimers has the runtime allocate room for timers. The list of a processor's timers never shrinks. Otherwise the
// list may grow during a run when the scavenger goes to sleep (runtime/mgcscavenge.go), and the figure of a benchmark
// is then 101.0002 allocs/op instead of 101.
func reserveTimers() {
	var timers [reservedTimers]*time.Timer
	for i := range timers {
		timers[i] = time.AfterFunc(time.Hour, func() {})
	}
	for _, t := range timers {
		t.Stop()
	}
}

// measure returns how much the benchmark of that name allocates per operation, over n operations, and where. All
// figures are differences between a run of n+1 operations and a run of one: what the benchmark does before its loop, or
// only in its first operation, is in both and cancels out.
//
// Allocations are counted over many operations and located over few, since under WebAssembly recording one with its
// stack takes 50 µs. If the few do not allocate exactly their share of what the many do, for example because a slice
// grows now and then or tiny objects share a block, both are taken from a fully recorded run of many. If the single
// operation is not plausible as the first among many, nothing is subtracted: averages and lines then cover all
// operations.
//
// Allocations that the runtime makes at random are left out; see splitChance. The result is valid if the
// measurement has not failed.
func (m *measurement) measure(name string, n int) wire.Benchmark {
	m.run(1, counting) // a warm-up, for what is allocated on first use
	many := m.run(n+1, counting)
	result := wire.Benchmark{Name: name, N: n, NsPerOp: float64(many.time.Nanoseconds()) / float64(n+1), Profiled: n}
	if many.used != (used{}) {
		one := m.run(1, locating)
		over := n
		located, ok := m.locate(many.used, one.used, n)
		if ok {
			result.Profiled = locatedOperations
		} else {
			many = m.run(n+1, locating)
			if located = m.difference(0); !plausible(many.used, one.used, n) {
				one, over, located = run{}, n+1, m.last()
			}
			result.Profiled = over
		}
		located, chance := located.splitChance()
		result.AllocsPerOp = float64(int64(many.allocs-one.allocs)-chance.objects()) / float64(over)
		result.BytesPerOp = float64(int64(many.bytes-one.bytes)-chance.bytes()) / float64(over)
		result.Stacks = located.stacks()
	}
	return result
}

// firstAllocs and firstBytes are how much more than the average the first operation may allocate.
const (
	firstAllocs = 64
	firstBytes  = 8 << 10
)

// plausible reports whether one can have been the first operation among the many, which are n+1: it may allocate more
// than the average, within firstAllocs and firstBytes. Without this bound, a function whose first operation sometimes
// allocates a lot at random would seem to allocate less than it does.
func plausible(many, one used, n int) bool {
	first := used{many.allocs/uint64(n+1) + firstAllocs, many.bytes/uint64(n+1) + firstBytes}
	return one.allocs <= min(many.allocs, first.allocs) && one.bytes <= min(many.bytes, first.bytes)
}

// locatedOperations is the number of operations over which allocations are located. It is a multiple of the number of
// inputs for benchmarks that cycle through 40, 20, 10 or 8 of them.
const locatedOperations = 40

// locate finds where a few operations allocate, given what n+1 operations and one operation used. It returns false if
// the few are not representative of the many.
func (m *measurement) locate(many, one used, n int) (located profile, ok bool) {
	expected, ok := expectedUse(locatedOperations, many, one, n)
	if !ok || n <= locatedOperations || m.run(locatedOperations+1, locating).used != expected {
		return nil, false
	}
	located = m.difference(0)
	// The sizes differ if something else was recorded, such as a setup that allocates at random.
	return located, located.bytes() == int64(expected.bytes-one.bytes)
}

// expectedUse returns what k+1 operations use if all but the first use equal parts of the difference between many, n+1
// operations, and one. It returns false if these parts are not whole numbers, or if one is not plausible.
func expectedUse(k int, many, one used, n int) (used, bool) {
	part := func(many, one uint64) (uint64, bool) {
		rest := (many - one) * uint64(k)
		return one + rest/uint64(n), rest%uint64(n) == 0
	}
	allocs, wholeAllocs := part(many.allocs, one.allocs)
	bytes, wholeBytes := part(many.bytes, one.bytes)
	return used{allocs, bytes}, plausible(many, one, n) && wholeAllocs && wholeBytes
}
