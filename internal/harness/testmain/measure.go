package testmain

import (
	"bytes"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"testing"

	"onthestack/internal/harness/wire"
)

// operations is the number of operations that a benchmark is measured over.
const operations = 1000

// memoryLimit is where the garbage collector sets in again while benchmarks run: low enough for the 256 MiB that a program
// has under WebAssembly, high enough that no exercise comes near.
const memoryLimit = 160 << 20

// quiet keeps out of a measurement what the benchmark did not do: collections of garbage, and goroutines of the runtime that
// a second processor would wake.
func quiet() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

// measure runs b three times: once for its time, without a profile, which also warms up what is made on first use anywhere;
// then, with every allocation recorded, for one operation and for operations+1. The difference of these two is that
// many operations and nothing else: what b does before its loop, or in its first operation alone, is in both.
func measure(b testing.InternalBenchmark) (wire.Benchmark, error) {
	result := wire.Benchmark{Name: b.Name}
	runtime.MemProfileRate = 0
	timed, err := sample(b, operations)
	if err != nil {
		return result, err
	}
	runtime.MemProfileRate = 1
	one, err := sample(b, 1)
	if err != nil {
		return result, err
	}
	all, err := sample(b, operations+1)
	if err != nil {
		return result, err
	}
	if timed.failed || one.failed || all.failed {
		result.Failed = true
		return result, printFailure(b)
	}
	result.Line = fmt.Sprintf("%s %d %v ns/op %v B/op %v allocs/op", b.Name, operations,
		float64(timed.T.Nanoseconds())/operations, perOperation(all.MemBytes, one.MemBytes, firstBytes), perOperation(all.MemAllocs, one.MemAllocs, firstAllocs))
	result.Profiles = []wire.Profile{
		{Scale: 1, Proto: all.after}, {Scale: -1, Proto: all.before},
		{Scale: -1, Proto: one.after}, {Scale: 1, Proto: one.before},
	}
	return result, nil
}

// firstAllocs and firstBytes are how much the first operation may allocate beyond the average of all.
const (
	firstAllocs = 64
	firstBytes  = 8 << 10
)

// perOperation is the difference between operations+1 operations and one, per operation. The one may take away what a first
// operation can have allocated among all the others, and no more: a function that at times, by chance, allocates a lot in its
// first operation would otherwise come out below what it allocates.
func perOperation(all, one, first uint64) float64 {
	return max(0, float64(all)-float64(min(one, all/(operations+1)+first))) / operations
}

// A run is one call of a benchmark function, with the cumulative profile on either side of it.
type run struct {
	testing.BenchmarkResult
	before, after []byte
	failed        bool
}

// sample runs b for n operations. Where package testing calls the function more than once (it tries a single operation
// first), the last call, which is the one of n operations, is what counts.
func sample(b testing.InternalBenchmark, n int) (run, error) {
	if err := flag.Set("test.benchtime", fmt.Sprintf("%dx", n)); err != nil {
		return run{}, err
	}
	var (
		r        run
		firstErr error
	)
	snapshot := func() []byte {
		if runtime.MemProfileRate == 0 {
			return nil
		}
		proto, err := allocations()
		if firstErr == nil {
			firstErr = err
		}
		return proto
	}
	r.BenchmarkResult = testing.Benchmark(func(tb *testing.B) {
		tb.StopTimer()
		r.before = snapshot()
		// Deferred: b.Fatal ends the goroutine.
		defer func() {
			tb.StopTimer()
			r.failed = r.failed || tb.Failed()
			r.after = snapshot()
		}()
		tb.StartTimer()
		b.F(tb)
	})
	return r, firstErr
}

// allocations returns all allocations of the process so far. The runtime publishes them by a collection. What it allocates
// itself is not recorded: under WebAssembly, walking those stacks would take most of a check's time.
func allocations() ([]byte, error) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	runtime.GC()
	var proto bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&proto, 0); err != nil {
		return nil, fmt.Errorf("write the allocation profile: %w", err)
	}
	return proto.Bytes(), nil
}

// printFailure runs a benchmark that failed once more, the way "go test" does, for its message on stdout: testing.Benchmark
// keeps that to itself.
func printFailure(b testing.InternalBenchmark) error {
	if err := flag.Set("test.bench", "."); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	testing.RunBenchmarks(regexp.MatchString, []testing.InternalBenchmark{b})
	return nil
}
