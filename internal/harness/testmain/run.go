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
	// recorded is the profile at the beginning of each run that located its allocations.
	recorded []profile
	failed   bool
	err      error
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
)

// run calls the benchmark function once, for n operations.
func (m *measurement) run(n, rate int) run {
	if m.failed || m.err != nil {
		return run{}
	}
	if m.err = flag.Set("test.benchtime", strconv.Itoa(n)+"x"); m.err != nil {
		return run{}
	}
	timedRate = rate
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

// timedRate is the MemProfileRate for the operations of the run under way; marked is true for a benchmark function that says
// when they begin; stopped is true while it has its timer stopped.
var (
	timedRate int
	marked    bool
	stopped   bool
)

// Timed is called by a benchmark function behind its b.ResetTimer: what it allocates from there on is its operations'.
func Timed() {
	marked = true
	if !stopped {
		runtime.MemProfileRate = timedRate
	}
}

// Stopped is called by a benchmark function behind its b.StopTimer: what it allocates from there on is nobody's operation.
func Stopped() {
	stopped = true
	if runtime.MemProfileRate == counting {
		return
	}
	runtime.MemProfileRate = counting
	// The runtime records the allocation at which it takes note of another rate. That one is made on a stack of its own, for no
	// line of the benchmark's to be charged with it.
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

// call calls f in a goroutine of its own. The stacks in the memory profile are then short, which makes recording faster by a
// third, and equal in all runs. It reports whether f returned and did not fail.
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
		if !marked {
			runtime.MemProfileRate = timedRate
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

// difference is what the last run recorded and the first did not.
func (m *measurement) difference() profile {
	if m.failed || m.err != nil {
		return nil
	}
	return m.last().minus(m.recorded[1].minus(m.recorded[0]))
}

// printFailure runs a benchmark that failed once more, the way "go test" does, for its message on stdout: testing.Benchmark
// keeps that to itself.
func printFailure(b testing.InternalBenchmark) error {
	if err := flag.Set("test.bench", "."); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.RunBenchmarks(all, []testing.InternalBenchmark{b})
	return nil
}
