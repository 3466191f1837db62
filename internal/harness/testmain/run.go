package testmain

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// A measurement is a series of runs of one benchmark function. After a run that failed, run does nothing.
type measurement struct {
	benchmark func(*testing.B)
	// recorded is the profile at the beginning of each run that recorded its allocations.
	recorded []profile
	// held is what the benchmark held when its operations began, in a run that sampled. heldBefore is what was held
	// before that run.
	held, heldBefore profile
	heldOverhead     uint64 // bytes that finding that out allocated
	heldRate         int    // MemProfileRate of the setup in such a run
	failed           bool
	err              error
	// userPackage is true for a package that is not an exercise.
	userPackage bool
	// unlocated is true if allocations are only counted and not located.
	unlocated bool
	// apart is true if tiny objects share no block while they are recorded.
	apart bool
	// resets and lastResets count the calls of b.ResetTimer in this run and in the run before it. The operations of a
	// run begin behind the last call.
	resets, lastResets int
}

func newMeasurement(benchmark func(*testing.B)) *measurement {
	if allocator == nil {
		startAllocator()
	}
	return &measurement{benchmark: benchmark, heldRate: sampling}
}

// A run is the time and the allocations of one call of a benchmark function.
type run struct {
	time time.Duration
	used
}

// used is how much a run allocated while its timer ran.
type used struct{ allocs, bytes uint64 }

// min returns the smaller of each count.
func (u used) min(v used) used { return used{min(u.allocs, v.allocs), min(u.bytes, v.bytes)} }

// How a run records allocations: values of runtime.MemProfileRate.
const (
	counting = 0
	locating = 1
	// sampling records about one allocation in so many bytes, before the operations begin. A slab is certain to be
	// found, and thousands of small objects, which would take too long to record, are estimated. The estimate of N
	// bytes has a standard deviation of the square root of N × sampling. The largest setup holds half of what a
	// solution may allocate ahead, which is ten of them here. With 16 KiB it was two to three, and one check in a
	// thousand of an honest solution failed.
	sampling = 1 << 10
	// samplingFinely does the same for a benchmark whose setup is small.
	samplingFinely = 64
)

// run calls the benchmark function once, for n operations.
func (m *measurement) run(n, rate int) run {
	if m.failed || m.err != nil {
		return run{}
	}
	if m.err = flag.Set("test.benchtime", strconv.Itoa(n)+"x"); m.err != nil {
		return run{}
	}
	timedRate, sampledRun, measuring = rate, nil, m
	if rate == sampling {
		timedRate, sampledRun = counting, m
	}
	tried := n == 1
	r := testing.Benchmark(func(b *testing.B) {
		b.StopTimer()
		if !tried {
			// Package testing runs a single operation first, and discards its result.
			tried = true
			return
		}
		// Package testing has just collected garbage, twice if there are many operations, which empties each sync.Pool.
		// Runs that are compared have to begin in the same state.
		if n == 1 && (rate == locating || m.userPackage) {
			runtime.GC()
		}
		if rate == locating {
			m.recorded = append(m.recorded, read())
		}
		if !call(m.benchmark, b) {
			m.failed = true
			runtime.Goexit()
		}
	})
	m.failed = m.failed || r.N != n
	return run{r.T, used{r.MemAllocs, r.MemBytes}}
}

// timedRate is the MemProfileRate for the operations of the current run, and measuring its measurement. stopped is true
// while the benchmark has its timer stopped. sampledRun is the measurement whose current run samples what is allocated
// until its operations begin, nil otherwise. current is the benchmark that runs, nil between runs. ahead counts the
// calls of b.ResetTimer that are still to come in this run.
var (
	timedRate  int
	measuring  *measurement
	ahead      int
	stopped    bool
	sampledRun *measurement
	current    *testing.B
)

// expectResets sets ahead for a run. A benchmark that has called b.ResetTimer equally often in two runs is expected to
// do so again. If the calls grow with the operations, allocations are recorded from the first call on.
func (m *measurement) expectResets() {
	ahead = m.resets
	if m.resets != m.lastResets {
		ahead = min(1, m.resets)
	}
	m.resets, m.lastResets = 0, m.resets
}

// Timed is called by a benchmark function behind its b.ResetTimer: from there on, allocations belong to its operations.
func Timed() {
	if measuring != nil {
		measuring.resets++
	}
	ahead = max(0, ahead-1)
	if m := sampledRun; m != nil {
		sampledRun = nil
		m.recordHeld()
	}
	if !stopped && ahead == 0 {
		runtime.MemProfileRate = timedRate
	}
}

// Looping is called by a benchmark function ahead of its loop over b.Loop, which resets the timer.
func Looping() {
	Timed()
	if measuring != nil {
		measuring.heldOverhead = 0 // no longer counted
	}
}

// Looped is called by a benchmark function behind its loop over b.Loop, which has stopped the timer for good. The
// runtime applies the new rate at an allocation that call makes.
func Looped() {
	stopped = true
	if inUseWhenStopped != nil {
		*inUseWhenStopped = inUse()
	}
	runtime.MemProfileRate = counting
}

// recordHeld records what the benchmark holds, and how much finding that out allocates, since the benchmark's timer
// runs.
func (m *measurement) recordHeld() {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runtime.MemProfileRate = counting
	allocationSink = new([64]byte)
	runtime.GC()
	m.held = readHeld().minus(m.heldBefore)
	runtime.ReadMemStats(&after)
	m.heldOverhead = after.TotalAlloc - before.TotalAlloc
}

// Stopped is called by a benchmark function behind its b.StopTimer: from there on, allocations belong to no operation.
func Stopped() {
	stopped = true
	if inUseWhenStopped != nil {
		*inUseWhenStopped = inUse()
	}
	if runtime.MemProfileRate == counting {
		return
	}
	runtime.MemProfileRate = counting
	// The runtime applies a new rate at the next allocation that it samples, and records that one. It is made on
	// another goroutine, so that none of the benchmark's lines is charged with it.
	allocator <- true
	<-allocator
}

// allocator asks a goroutine for an allocation, and receives its answer.
var allocator chan bool

// startAllocator starts that goroutine.
func startAllocator() {
	allocator = make(chan bool)
	go func() {
		for range allocator {
			allocationSink = new([64]byte)
			allocator <- true
		}
	}()
}

// Started is called by a benchmark function behind its b.StartTimer.
func Started() {
	stopped = false
	if ahead == 0 {
		runtime.MemProfileRate = timedRate
	}
}

var allocationSink any

// call calls f on a new goroutine. The stacks in the memory profile are then short, which makes recording a third
// faster, and the same in all runs. It reports whether f returned and did not fail.
func call(f func(*testing.B), b *testing.B) (ok bool) {
	over := make(chan bool)
	go func() {
		// This is deferred because b.Fatal ends the goroutine.
		defer func() {
			current = nil
			b.StopTimer()
			// The runtime applies a new rate at the next allocation that it samples, and records that one. Here it does
			// so in the same way in each run.
			allocationSink = new([64]byte)
			runtime.MemProfileRate = counting
			allocationSink = new([64]byte)
			over <- ok && !b.Failed()
		}()
		stopped = false
		measuring.expectResets()
		switch {
		case ahead == 0:
			runtime.MemProfileRate = timedRate
		case sampledRun != nil:
			sampledRun.heldBefore = readHeld()
			runtime.MemProfileRate = sampledRun.heldRate
			allocationSink = new([64]byte) // the runtime applies the rate at this allocation, and records it
		}
		b.StartTimer()
		current = b
		f(b)
		ok = true
	}()
	return <-over
}

// last returns what the last run recorded.
func (m *measurement) last() profile {
	if m.failed || m.err != nil {
		return nil
	}
	runtime.GC()
	return read().minus(m.recorded[len(m.recorded)-1])
}

// difference returns what the last run recorded and run i did not. i counts, from 0, only the runs that recorded.
func (m *measurement) difference(i int) profile {
	if m.failed || m.err != nil {
		return nil
	}
	return m.last().minus(m.recorded[i+1].minus(m.recorded[i]))
}

// printFailure runs a failed benchmark once more, the way "go test" does, to print its message on stdout, which
// testing.Benchmark discards.
func printFailure(b testing.InternalBenchmark) error {
	if err := flag.Set("test.bench", "."); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.RunBenchmarks(all, []testing.InternalBenchmark{b})
	return nil
}
