package testmain

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// A measurement is a series of runs of one benchmark function. After the first run that fails there are no more.
type measurement struct {
	benchmark func(*testing.B)
	// recorded is the profile at the beginning of each run that recorded its allocations.
	recorded []profile
	// kept is what the benchmark held when its operations began, in a run that sampled; before is what was held before
	// that run.
	kept, before profile
	keeping      uint64 // bytes allocated to find that out
	failed       bool
	err          error
}

func newMeasurement(benchmark func(*testing.B)) *measurement {
	marked = false
	return &measurement{benchmark: benchmark}
}

// A run is what one call of a benchmark function took.
type run struct {
	time time.Duration
	used
}

// used is what a run allocated while its timer ran.
type used struct{ allocs, bytes uint64 }

// What a run does with allocations: values of runtime.MemProfileRate.
const (
	counting = 0
	locating = 1
	// sampling records one allocation in about so many bytes, of those before the operations: a slab is found for certain,
	// and thousands of small objects, which would take too long to record, are estimated.
	sampling = 16 << 10
)

// run calls the benchmark function once, for n operations.
func (m *measurement) run(n, rate int) run {
	if m.failed || m.err != nil {
		return run{}
	}
	if m.err = flag.Set("test.benchtime", strconv.Itoa(n)+"x"); m.err != nil {
		return run{}
	}
	timedRate, keeping = rate, nil
	if rate == sampling {
		timedRate, keeping = counting, m
	}
	tried := n == 1
	r := testing.Benchmark(func(b *testing.B) {
		b.StopTimer()
		if !tried {
			// Package testing tries a single operation first, and then has no use for what came of it.
			tried = true
			return
		}
		if rate == locating {
			// Package testing has just collected garbage, twice before many operations: a sync.Pool is empty then. What
			// is in both of the runs that are compared has to begin alike.
			if n == 1 {
				runtime.GC()
			}
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

// timedRate is the MemProfileRate for the operations of the run under way; marked is true for a benchmark function that
// says when they begin; stopped is true while it has its timer stopped; keeping is the measurement whose run samples
// what it keeps until its operations begin, nil otherwise.
var (
	timedRate int
	marked    bool
	stopped   bool
	keeping   *measurement
)

// Timed is called by a benchmark function behind its b.ResetTimer: what it allocates from there on is its operations'.
func Timed() {
	marked = true
	if m := keeping; m != nil {
		keeping = nil
		m.keep()
	}
	if !stopped {
		runtime.MemProfileRate = timedRate
	}
}

// keep takes note of what the benchmark holds, and of how much that allocates itself: the benchmark's timer runs.
func (m *measurement) keep() {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runtime.MemProfileRate = counting
	afterwards = new([64]byte)
	runtime.GC()
	m.kept = readKept().minus(m.before)
	runtime.ReadMemStats(&after)
	m.keeping = after.TotalAlloc - before.TotalAlloc
}

// Stopped is called by a benchmark function behind its b.StopTimer: what it allocates from there on is nobody's
// operation.
func Stopped() {
	stopped = true
	if runtime.MemProfileRate == counting {
		return
	}
	runtime.MemProfileRate = counting
	// The runtime records the allocation at which it takes note of another rate. That one is made on a stack of its own,
	// for no line of the benchmark's to be charged with it.
	if aside == nil {
		aside = make(chan bool)
		go func() {
			for range aside {
				afterwards = new([64]byte)
				aside <- true
			}
		}()
	}
	aside <- true
	<-aside
}

// aside is how a goroutine is asked for an allocation, and answers.
var aside chan bool

// Started is called by a benchmark function behind its b.StartTimer.
func Started() { runtime.MemProfileRate, stopped = timedRate, false }

var afterwards any

// call calls f in a goroutine of its own. The stacks in the memory profile are then short, which makes recording faster
// by a third, and equal in all runs. It reports whether f returned and did not fail.
func call(f func(*testing.B), b *testing.B) (ok bool) {
	over := make(chan bool)
	go func() {
		// Deferred: b.Fatal ends the goroutine.
		defer func() {
			b.StopTimer()
			// The runtime takes note of another rate when it allocates, and records that. Here it does so each time alike.
			afterwards = new([64]byte)
			runtime.MemProfileRate = counting
			afterwards = new([64]byte)
			over <- ok && !b.Failed()
		}()
		stopped = false
		switch {
		case !marked:
			runtime.MemProfileRate = timedRate
		case keeping != nil:
			keeping.before = readKept()
			runtime.MemProfileRate = sampling
			afterwards = new([64]byte) // the allocation at which the runtime takes note of the rate, which it records
		}
		b.StartTimer()
		f(b)
		ok = true
	}()
	return <-over
}

// last is what the last run recorded.
func (m *measurement) last() profile {
	if m.failed || m.err != nil {
		return nil
	}
	runtime.GC()
	return read().minus(m.recorded[len(m.recorded)-1])
}

// difference is what the last run recorded and run i did not, counted from 0 among those that recorded.
func (m *measurement) difference(i int) profile {
	if m.failed || m.err != nil {
		return nil
	}
	return m.last().minus(m.recorded[i+1].minus(m.recorded[i]))
}

// printFailure runs a benchmark that failed once more, the way "go test" does, for its message on stdout:
// testing.Benchmark keeps that to itself.
func printFailure(b testing.InternalBenchmark) error {
	if err := flag.Set("test.bench", "."); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.RunBenchmarks(all, []testing.InternalBenchmark{b})
	return nil
}
