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
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

// Explore measures those of the benchmarks, and of their sub-benchmarks, that the checker asks for. It is the body of a
// test in a package that is no exercise; match is regexp.MatchString. A program may have two such tests, in the package
// and in its external test package; last is true for the one that is called last.
//
// Sub-benchmarks are known when they are run: the package's calls of b.Run have been made calls of Sub.
func Explore(match func(pattern, text string) (bool, error), benchmarks []testing.InternalBenchmark, last bool) {
	if err := explore(match, benchmarks, last); err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot measure:", err)
		os.Exit(2)
	}
}

// An explorer runs each benchmark once for a single operation, as "go test" does, to learn whether it has
// sub-benchmarks, and measures those that have none.
type explorer struct {
	pattern pattern
	channel io.Writer
	count   int // of time samples, 0 for none
	// orphaned ends the program when nothing was written for the time of limit: a checker that was killed stops nothing
	// any more.
	orphaned *time.Timer
	limit    time.Duration
	// aside belongs to a benchmark that is over; see unlocked.
	aside *testing.B
	work  func()
	// measuring is true while a benchmark is measured, rather than tried.
	measuring bool
	name      string // of the benchmark that is measured
	trial     *trial // the innermost under way
	announced bool   // Sub is about to call B.Run
	err       error
}

// A trial is a benchmark function's run for a single operation.
type trial struct {
	name     string
	wanted   bool // it is among those asked for
	leaf     bool // it ran no sub-benchmark
	returned bool // neither b.Skip nor b.Fatal ended it
	failed   bool
	unseen   bool // it ran sub-benchmarks by itself
	time     time.Duration
}

// exploring is nil in the program of an exercise.
var exploring *explorer

func explore(match func(pattern, text string) (bool, error), benchmarks []testing.InternalBenchmark, last bool) error {
	if exploring == nil {
		e, err := newExplorer(match)
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

func newExplorer(match func(pattern, text string) (bool, error)) (*explorer, error) {
	limit, err := time.ParseDuration(os.Getenv(wire.LimitVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wire.LimitVariable, err)
	}
	count, err := strconv.Atoi(os.Getenv(wire.CountVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wire.CountVariable, err)
	}
	channel, err := openChannel(0)
	if err != nil {
		return nil, err
	}
	e := &explorer{pattern: newPattern(os.Getenv(wire.BenchVariable)), channel: channel, count: count, limit: limit}
	e.orphaned = time.AfterFunc(limit, func() { os.Exit(2) })
	e.write(wire.AppendTests(nil, 0))
	runtime.MemProfileRate = counting
	err = e.runBenchmarks("aside", func(b *testing.B) { e.aside = b })
	if err == nil && e.aside == nil {
		err = errors.New("package testing ran no benchmark")
	}
	return e, errors.Join(err, e.err)
}

func (e *explorer) write(event []byte) {
	if e.err == nil {
		_, e.err = e.channel.Write(event)
	}
	e.orphaned.Reset(e.limit)
}

// first is the part of the pattern that runBenchmarks gives package testing for the first element of a name.
const first = "first"

// runBenchmarks has package testing run f as a benchmark, once for a single operation.
func (e *explorer) runBenchmarks(name string, f func(*testing.B)) error {
	if err := errors.Join(flag.Set("test.bench", first+"/second"), flag.Set("test.benchtime", "1x")); err != nil {
		return err
	}
	defer flag.Set("test.bench", "")
	testing.RunBenchmarks(e.asked, []testing.InternalBenchmark{{Name: name, F: func(b *testing.B) {
		f(b)
		b.SkipNow() // for package testing to print no result
	}}})
	return nil
}

// unlocked calls f from within a benchmark. Package testing holds a lock while a benchmark function runs, so that there
// is but one at a time; it lets go of it in B.Run, which asks whether the sub-benchmark is wanted. f is called in place
// of an answer; that is no, so no sub-benchmark is run.
func (e *explorer) unlocked(f func()) {
	e.work = f
	e.aside.Run("work", nil)
}

// asked is what B.Run asks: whether an element of a benchmark's name is wanted, the first one first.
func (e *explorer) asked(part, _ string) (bool, error) {
	work := e.work
	switch {
	case work != nil && part != first:
		e.work = nil
		work()
		return false, nil
	case work == nil && part == first && e.trial != nil && !e.announced:
		e.trial.unseen = true
	}
	return true, nil
}

// explore measures b or its sub-benchmarks.
func (e *explorer) explore(b testing.InternalBenchmark) error {
	if full, partial := e.pattern.selects(b.Name); !full && !partial {
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

func (t *trial) measurable() bool { return t.returned && t.leaf && t.wanted && !t.failed && !t.unseen }

// reportFailed reports a benchmark that failed when it was tried, or that cannot be measured; those that it runs are
// reported by themselves.
func (e *explorer) reportFailed(t *trial) {
	if t.unseen && !t.failed {
		fmt.Printf("%s runs sub-benchmarks out of sight: a function of another package calls b.Run for it; call it in this "+
			"package to have them measured\n", t.name)
	}
	if t.unseen || t.failed && t.leaf {
		e.write(wire.AppendBenchmark(nil, wire.Benchmark{Name: t.name, Failed: true}))
	}
}

// try runs f for a single operation and tells of it in t, unless the pattern rules b out.
func (e *explorer) try(b *testing.B, f func(*testing.B), t *trial) {
	full, partial := e.pattern.selects(b.Name())
	if !full && !partial {
		return
	}
	outer := e.trial
	*t = trial{name: b.Name(), wanted: full, leaf: true}
	e.trial = t
	defer func() {
		if p := recover(); p != nil {
			// Package testing lets go of who waits for a benchmark before its panic ends the program, which then may have ended
			// already.
			fmt.Fprintf(os.Stderr, "panic: %v\n\n%s", p, panicStack())
			os.Exit(2)
		}
		e.trial = outer
		t.failed = b.Failed() || !t.returned && !b.Skipped()
	}()
	if full {
		e.write(wire.AppendBegin(nil, t.name))
	}
	f(b)
	t.returned = true
	t.time = b.Elapsed()
}

// panicStack is the stack of a panic that was recovered. It begins where the panic was.
func panicStack() []byte {
	stack := debug.Stack()
	head, _, _ := bytes.Cut(stack, []byte("\n"))
	_, below, ok := bytes.Cut(stack, []byte("\npanic("))
	if !ok {
		return stack
	}
	// The rest of that line, and the one that says where in the runtime it is.
	for i := 0; i < 2; i++ {
		_, below, _ = bytes.Cut(below, []byte("\n"))
	}
	return bytes.Join([][]byte{head, below}, []byte("\n"))
}

// Sub takes the place of b.Run in a package that is measured.
func Sub(b *testing.B, name string, f func(*testing.B)) bool {
	e := exploring
	if e == nil || e.measuring || e.trial == nil {
		return b.Run(name, f)
	}
	e.trial.leaf = false
	var t trial
	e.announced = true
	ok := b.Run(name, func(sub *testing.B) {
		e.announced = false
		e.try(sub, f, &t)
		sub.SkipNow()
	})
	e.announced = false
	e.reportFailed(&t)
	if t.measurable() {
		measured := true
		e.unlocked(func() { measured = e.measure(&t, f) })
		if !measured {
			// For its message, which package testing prints of a benchmark that it runs.
			e.measuring, e.announced = true, true
			ok = b.Run(name, func(sub *testing.B) {
				sub.N = operations
				f(sub)
				sub.SkipNow()
			})
			e.measuring, e.announced = false, false
		}
	}
	return ok
}

// SubOf takes the place of the value b.Run in a package that is measured.
func SubOf(b *testing.B) func(string, func(*testing.B)) bool {
	return func(name string, f func(*testing.B)) bool { return Sub(b, name, f) }
}

// Name takes the place of b.Name in a package that is measured: what measures a benchmark gives it no name.
func Name(b *testing.B) string {
	if e := exploring; e != nil && e.measuring {
		return e.name
	}
	return b.Name()
}

// measure measures what was tried, and reports. It returns false where the benchmark failed; why is not printed yet
// then.
func (e *explorer) measure(t *trial, f func(*testing.B)) bool {
	if e.err != nil {
		return true
	}
	e.measuring, e.name = true, t.name
	defer func() { e.measuring = false }()
	processors, percent, limit := runtime.GOMAXPROCS(0), debug.SetGCPercent(-1), debug.SetMemoryLimit(collectionLimit())
	runtime.GOMAXPROCS(1)
	restore := func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
	defer restore()

	m := newMeasurement(f)
	took, allocs := t.time, uint64(0)
	for i := 0; i < 3 && (i == 0 || took > quick); i++ { // the first time makes what is made once
		once := m.run(1, counting)
		took, allocs = min(took, once.time), once.allocs
	}
	n := howMany(took)
	if uint64(n)*allocs > mostRecorded { // which may be what the benchmark makes before its operations
		const some = 10
		n = fewer(n, (max(allocs, m.run(1+some, counting).allocs)-allocs)/some)
	}
	result := m.measure(t.name, n)
	if e.count > 0 {
		// As a program runs: with collections of garbage, and all processors.
		restore()
		result.NsSamples = m.samples(e.count, result.NsPerOp)
	}
	e.err = m.err
	if e.err == nil && m.failed {
		result = wire.Benchmark{Name: t.name, Failed: true}
	}
	e.write(wire.AppendBenchmark(nil, result))
	return e.err != nil || !m.failed
}

// collectionLimit is the memory in bytes at which the garbage collector runs while a benchmark is measured.
func collectionLimit() int64 {
	const least = 512 << 20
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return max(least, 2*int64(stats.Sys))
}

// quick is how long an operation takes at most of which a thousand are measured.
const quick = time.Millisecond

// mostRecorded is how many allocations are recorded of a benchmark, about: each takes 4 µs, more with a deep stack.
const mostRecorded = 400_000

// howMany is the number of operations that a benchmark's figures are over, by how long one takes: all together take a
// second or little more.
func howMany(operation time.Duration) int {
	for n, longest := operations, quick; n > 1; n, longest = n/10, 10*longest {
		if operation <= longest {
			return n
		}
	}
	return 1
}

// fewer is a number of operations of which no more than mostRecorded allocations have to be recorded, n or less.
func fewer(n int, allocsPerOp uint64) int {
	for n > 1 && uint64(n)*allocsPerOp > mostRecorded {
		n /= 10
	}
	return n
}

// sampleTime is how long a sample of a benchmark's time takes at least.
const sampleTime = 20 * time.Millisecond

// samples times the benchmark so often, given about how long an operation takes, in ns. The first run of as many
// operations is not among them.
func (m *measurement) samples(count int, perOp float64) []float64 {
	n := int(min(1e8, max(1, float64(sampleTime)/max(perOp, 0.1))))
	var samples []float64
	for i := -1; i < count; i++ {
		if took := m.run(n, counting).time; i >= 0 {
			samples = append(samples, float64(took.Nanoseconds())/float64(n))
		}
	}
	return samples
}
