package testmain

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

// Explore measures the benchmarks and sub-benchmarks that the checker asks for. It is the body of a test in a package
// that is not an exercise. match is regexp.MatchString. A program may have two such tests, one in the package and one
// in its external test package; last is true for the test that is called last.
//
// A sub-benchmark is found when it is run: package testing calls hooks.Run, or Overlay has replaced the package's calls
// of b.Run by calls of Sub.
func Explore(match func(pattern, text string) (bool, error), benchmarks []testing.InternalBenchmark, last bool) {
	if err := explore(match, benchmarks, last); err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot measure:", err)
		os.Exit(2)
	}
}

// An explorer runs each benchmark for a single operation first, as "go test" does, to find out whether it has
// sub-benchmarks. It measures the benchmarks that have none.
type explorer struct {
	pattern pattern
	channel io.Writer
	count   int // of time samples, 0 for none
	// benchtime is what the user asks for, if anything.
	benchtime benchtime
	timing    bool // measure only time
	figures   bool // locate nothing
	apart     bool // as in measurement
	// without counts the benchmarks by name that another process has measured, or failed to. A package and its external
	// test package may each have one with the same name.
	without map[string]int
	// orphaned ends the program when nothing was written for limit, since nothing stops it if the checker was killed.
	// It is nil where programs end with the checker: under WebAssembly, and if there is no limit.
	orphaned *time.Timer
	limit    time.Duration
	// finished belongs to a benchmark that has ended; see withoutBenchmarkLock.
	finished *testing.B
	work     func()
	// measuring is true while a benchmark is measured rather than tried.
	measuring    bool
	name         string // of the benchmark that is measured
	trial        *trial // the innermost one that is running
	expectingRun bool   // B.Run is called by Sub, or to print a failure
	err          error
}

// A trial is a run of a benchmark function for a single operation.
type trial struct {
	name      string
	wanted    bool // the pattern selects it
	leaf      bool // it has no sub-benchmark
	returned  bool // it was not ended by b.Skip or b.Fatal
	exited    bool // it was ended by runtime.Goexit
	failed    bool
	skipped   bool
	why       string // the arguments of b.Skip
	hiddenRun bool   // it ran sub-benchmarks by other means than Sub
	time      time.Duration
}

// exploring is nil in the program of an exercise.
var exploring *explorer

func explore(match func(pattern, text string) (bool, error), benchmarks []testing.InternalBenchmark, last bool) error {
	if exploring == nil {
		e, err := newExplorer()
		if err != nil {
			return err
		}
		exploring = e
	}
	e := exploring
	e.pattern.match = match
	for _, b := range benchmarks {
		if err := e.explore(b); err != nil {
			return err
		}
	}
	if last {
		e.write(wire.AppendDone(nil))
	}
	return e.err
}

func newExplorer() (*explorer, error) {
	e := &explorer{pattern: newPattern(os.Getenv(wire.BenchVariable)), without: map[string]int{}}
	var err error
	// A sandbox has no environment: all benchmarks are measured, and no time is sampled.
	if runtime.GOARCH != "wasm" {
		if e.limit, err = time.ParseDuration(os.Getenv(wire.LimitVariable)); err != nil {
			return nil, fmt.Errorf("%s: %w", wire.LimitVariable, err)
		}
		if e.count, err = strconv.Atoi(os.Getenv(wire.CountVariable)); err != nil {
			return nil, fmt.Errorf("%s: %w", wire.CountVariable, err)
		}
		if e.benchtime, err = parseBenchtime(os.Getenv(wire.BenchtimeVariable)); err != nil {
			return nil, fmt.Errorf("%s: %w", wire.BenchtimeVariable, err)
		}
		e.timing = os.Getenv(wire.TimingVariable) != ""
		e.figures = os.Getenv(wire.FiguresVariable) != ""
		for _, name := range strings.Split(os.Getenv(wire.WithoutVariable), "\n") {
			e.without[name]++
		}
		if e.limit > 0 {
			e.orphaned = time.AfterFunc(e.limit, func() { os.Exit(2) })
		}
	}
	if e.channel, err = openChannel(0); err != nil {
		return nil, err
	}
	e.write(wire.AppendTests(nil, 0))
	runtime.MemProfileRate = counting
	e.apart = tinyApart()
	registerHooks()
	err = e.runBenchmarks("aside", func(b *testing.B) { e.finished = b })
	if err == nil && e.finished == nil {
		err = errors.New("package testing ran no benchmark")
	}
	return e, errors.Join(err, e.err)
}

func (e *explorer) write(event []byte) {
	if e.err == nil {
		_, e.err = e.channel.Write(event)
	}
	if e.orphaned != nil {
		e.orphaned.Reset(e.limit)
	}
}

// firstPart is the part of the pattern that runBenchmarks sets for the first element of a name.
const firstPart = "first"

// runBenchmarks has package testing run f as a benchmark, once for a single operation.
func (e *explorer) runBenchmarks(name string, f func(*testing.B)) error {
	if err := errors.Join(flag.Set("test.bench", firstPart+"/second"), flag.Set("test.benchtime", "1x")); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	testing.RunBenchmarks(e.matchPart, []testing.InternalBenchmark{{Name: name, F: func(b *testing.B) {
		f(b)
		b.SkipNow() // so that package testing prints no result
	}}})
	return nil
}

// withoutBenchmarkLock calls f from within a benchmark, without the lock that package testing holds while a benchmark
// function runs, so that f can run benchmarks too. B.Run releases the lock while it asks whether a sub-benchmark is
// wanted (benchmarkLock in testing/benchmark.go). f is called in place of the answer, which is no, so no sub-benchmark
// runs. This can go when package testing can list sub-benchmarks.
func (e *explorer) withoutBenchmarkLock(f func()) {
	e.work = f
	e.finished.Run("work", nil)
}

// matchPart is the function that B.Run calls to match an element of a benchmark's name with a part of the pattern, the
// first one first.
func (e *explorer) matchPart(part, _ string) (bool, error) {
	work := e.work
	switch {
	case work != nil && part != firstPart:
		e.work = nil
		work()
		return false, nil
	case work == nil && part == firstPart && e.trial != nil && !e.expectingRun:
		e.trial.hiddenRun = true
	}
	return true, nil
}

// explore measures b or its sub-benchmarks.
func (e *explorer) explore(b testing.InternalBenchmark) error {
	if full, partial := e.pattern.selects(b.Name); !full && !partial || e.done(b.Name) {
		return nil
	}
	var t trial
	if err := e.runBenchmarks(b.Name, func(tb *testing.B) { e.try(tb, b.F, &t) }); err != nil {
		return err
	}
	e.reportFailed(&t)
	if t.measurable() && !e.measure(&t, b.F) {
		return printFailure(b)
	}
	return e.err
}

// done reports whether another process has measured the next benchmark of that name, or failed to.
func (e *explorer) done(name string) bool {
	if e.without[name] == 0 {
		return false
	}
	e.without[name]--
	return true
}

func (t *trial) measurable() bool {
	return t.returned && t.leaf && t.wanted && !t.failed && !t.hiddenRun
}

// reportFailed reports a benchmark that failed when it was tried, or that cannot be measured. Sub-benchmarks report
// their own failures.
func (e *explorer) reportFailed(t *trial) {
	if t.hiddenRun && !t.failed {
		fmt.Printf("%s has sub-benchmarks that cannot be measured: a function of another package calls b.Run for "+
			"them; call it in this "+
			"package to have them measured\n", t.name)
	}
	if t.exited {
		fmt.Printf("%s ended its goroutine by runtime.Goexit: a benchmark function has to return\n", t.name)
	}
	if t.hiddenRun || t.failed && t.leaf {
		e.write(wire.AppendBenchmark(nil, wire.Benchmark{Name: t.name, Failed: true}))
	}
	if t.skipped && t.leaf && t.wanted {
		e.write(wire.AppendSkipped(nil, t.name, t.why))
	}
}

// Skipping is called by a benchmark function ahead of its b.Skip, with the same arguments.
func Skipping(args ...any) {
	if e := exploring; e != nil && e.trial != nil {
		e.trial.why = strings.TrimSpace(fmt.Sprintln(args...))
	}
}

// Skippingf is Skipping for b.Skipf.
func Skippingf(format string, args ...any) { Skipping(fmt.Sprintf(format, args...)) }

// try runs f for a single operation and records in t how that went, unless the pattern excludes b.
func (e *explorer) try(b *testing.B, f func(*testing.B), t *trial) {
	full, partial := e.pattern.selects(b.Name())
	if !full && !partial || strings.Contains(b.Name(), "/") && e.done(b.Name()) { // explore has asked for others
		return
	}
	outer := e.trial
	*t = trial{name: b.Name(), wanted: full, leaf: true}
	e.trial = t
	defer func() {
		if p := recover(); p != nil {
			// While a panic unwinds, package testing releases the goroutine that waits for this benchmark, which may
			// end the program before the panic is printed.
			fmt.Fprintf(os.Stderr, "panic: %v\n\n%s", p, panicStack())
			os.Exit(2)
		}
		e.trial = outer
		t.exited = !t.returned && !b.Failed() && !b.Skipped()
		t.failed = b.Failed() || !t.returned && !b.Skipped()
		t.skipped = !t.failed && b.Skipped()
	}()
	if full {
		e.write(wire.AppendBegin(nil, t.name))
	}
	f(b)
	t.returned = true
	t.time = b.Elapsed()
}

// panicStack returns the stack of a recovered panic, from where the panic happened.
func panicStack() []byte {
	stack := debug.Stack()
	head, _, _ := bytes.Cut(stack, []byte("\n"))
	_, below, ok := bytes.Cut(stack, []byte("\npanic("))
	if !ok {
		return stack
	}
	// Skip the rest of that line, and the line with the position in the runtime.
	for i := 0; i < 2; i++ {
		_, below, _ = bytes.Cut(below, []byte("\n"))
	}
	return bytes.Join([][]byte{head, below}, []byte("\n"))
}

// Sub replaces b.Run in a package that is measured.
func Sub(b *testing.B, name string, f func(*testing.B)) bool {
	e := exploring
	if e == nil || e.measuring || e.trial == nil {
		return b.Run(name, f)
	}
	e.trial.leaf = false
	var t trial
	e.expectingRun = true
	ok := b.Run(name, func(sub *testing.B) {
		e.expectingRun = false
		e.try(sub, f, &t)
		sub.SkipNow()
	})
	e.expectingRun = false
	e.reportFailed(&t)
	if t.measurable() {
		measured := true
		e.withoutBenchmarkLock(func() { measured = e.measure(&t, f) })
		if !measured {
			// The benchmark runs once more so that package testing prints its failure.
			e.measuring, e.expectingRun = true, true
			ok = b.Run(name, func(sub *testing.B) {
				sub.N = operations
				f(sub)
				sub.SkipNow()
			})
			e.measuring, e.expectingRun = false, false
		}
	}
	return ok
}

// SubOf replaces the method value b.Run in a package that is measured.
func SubOf(b *testing.B) func(string, func(*testing.B)) bool {
	return func(name string, f func(*testing.B)) bool { return Sub(b, name, f) }
}

// Name replaces b.Name in a package that is measured, since testing.Benchmark measures a benchmark without its name.
func Name(b *testing.B) string {
	if e := exploring; e != nil && e.measuring {
		return e.name
	}
	return b.Name()
}

// measure measures a benchmark that was tried, and reports it. It returns false if the benchmark failed; its message is
// not printed then.
func (e *explorer) measure(t *trial, f func(*testing.B)) bool {
	if e.err != nil {
		return true
	}
	e.measuring, e.name = true, t.name
	defer func() { e.measuring = false }()
	m := newMeasurement(f)
	if e.timing {
		return e.report(m, m.sample(t.name, t.time, e.benchtime.atLeast(sampleTime)))
	}
	processors, percent := runtime.GOMAXPROCS(0), debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(userPackageMemoryLimit())
	runtime.GOMAXPROCS(1)
	restore := func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
	defer restore()

	m.unlocated, m.apart = e.figures, e.apart
	result, runs := m.steady(t.name, t.time, e.benchtime)
	// Time is measured as a program runs: with garbage collection and on all processors.
	restore()
	if ns := m.samples(1, e.benchtime.atLeast(firstSample), runs); len(ns) > 0 {
		result.NsPerOp = ns[0] // and a warm-up for the samples
	}
	if e.count > 0 {
		result.NsSamples = m.samples(e.count, e.benchtime.atLeast(sampleTime), runs)
	}
	return e.report(m, result)
}

// report reports the result of a measurement, and returns false if the benchmark failed.
func (e *explorer) report(m *measurement, result wire.Benchmark) bool {
	e.err = m.err
	if e.err == nil && m.failed {
		result = wire.Benchmark{Name: e.name, Failed: true}
	}
	e.write(wire.AppendBenchmark(nil, result))
	return e.err != nil || !m.failed
}

// userPackageMemoryLimit returns the limit in bytes above which the garbage collector runs while a benchmark is
// measured.
func userPackageMemoryLimit() int64 {
	if runtime.GOARCH == "wasm" {
		return memoryLimit()
	}
	const least = 512 << 20
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return max(least, 2*int64(stats.Sys))
}
