// Package wire is the format in which a checked test binary reports to the checker, and in which a program records its
// steps (recording.go).
//
// The binary is started twice, in a process each: once for the tests and, if they passed, once for the benchmarks. Its
// last argument names the part. A report is text with an event per line, written as things happen. The tests report
//
//	tests 0
//	done
//
// and the benchmarks report
//
//	benchmarks
//	benchmark "BenchmarkReplace" 1000 412.5 64 1 100
//	stack 100 64
//	frame "runtime.makeslice" "runtime/slice.go" 117
//	frame "onthestack/exercises/exercise1.Replace" "onthestack/exercises/exercise1/feed.go" 21
//	confirmed 20000 64
//	stack 1 4096
//	frame "onthestack/exercises/exercise1.New" "onthestack/exercises/exercise1/feed.go" 12
//	failed "BenchmarkOther"
//	done
//
// The line of a benchmark has the fields of Benchmark from Name to Profiled, and the line of a stack has the fields
// Objects and Size. After "confirmed" are the fields Confirmed and FirstBytes, and the stacks of HeldAtStart are below
// it. A line "live 96" below the line of a benchmark has LiveBytesPerOp. It is only written for a benchmark with a
// target for it.
//
// For a package that is not an exercise, "begin" names each benchmark before it is run, so that the checker knows which
// one does not end, "time" lines after a benchmark's have the ns/op of further runs, a line "apart" sets Apart,
// and "later" Later.
//
// If a program dies, its report has everything up to that point, and the missing "done" shows that it is incomplete.
// Nothing that a program prints can be mistaken for its report, which travels beside stdout and stderr on a channel
// that only the checker's own code in the binary holds (see package testmain).
package wire

import "strconv"

// A Report is the content of a test binary's report.
type Report struct {
	// Tested is true once the package's tests came to their end; Code is their exit code, 0 when all passed.
	Tested bool
	Code   int
	// Measuring is true for a report of the benchmarks.
	Measuring bool
	// Benchmarks are the measured benchmarks, in their order.
	Benchmarks []Benchmark
	// Skipped are the benchmarks that called b.Skip.
	Skipped []Skipped
	// Running is the benchmark that began last, while no result of it is known.
	Running string
	// Last is the benchmark whose result came last.
	Last string
	// Done is true if the report is complete.
	Done bool
}

// Interrupted returns the benchmark in which an incomplete report ends: the one that was running or, between
// sub-benchmarks, the function that runs them. It is "" if the report does not say.
func (r Report) Interrupted() string {
	switch {
	case r.Done:
		return ""
	case r.Running != "":
		return r.Running
	}
	for i := 0; i < len(r.Last); i++ {
		if r.Last[i] == '/' {
			return r.Last[:i]
		}
	}
	return ""
}

// Ended returns the names of the benchmarks that were measured, failed or were skipped.
func (r Report) Ended() (names []string) {
	for _, b := range r.Benchmarks {
		names = append(names, b.Name)
	}
	for _, s := range r.Skipped {
		names = append(names, s.Name)
	}
	return names
}

// A Skipped benchmark is one that called b.Skip. Why is what it said, "" if that is not known.
type Skipped struct{ Name, Why string }

// A Benchmark is the measurement of one benchmark function.
type Benchmark struct {
	Name string
	// Failed is true if the function called b.Fatal, b.Error or the like. Its message is on stdout, and nothing below
	// is set.
	Failed bool
	// N is the number of operations that were measured. The figures are finite, not negative, and unrounded.
	N                                int
	NsPerOp, BytesPerOp, AllocsPerOp float64
	// LiveBytesPerOp are the bytes that an operation leaves in use; 0 if the benchmark has no target for them.
	LiveBytesPerOp float64
	// NsSamples are the ns/op of further runs that measured time alone.
	NsSamples []float64
	// Profiled is the number of operations over which Stacks were recorded, with every allocation.
	Profiled int
	Stacks   []Stack
	// Apart is true if Stacks has every tiny object, with its size: while they were recorded, none shared a block with
	// another.
	Apart bool
	// Later has the figures over more operations if they grow with the number of operations, so that there are no steady
	// ones.
	Later Later
	// Confirmed is the number of operations over which figures that meet their targets were counted again and still met
	// them; 0 for none.
	Confirmed int
	// If Confirmed is not 0, FirstBytes is how much the first operation allocated, and HeldAtStart what the benchmark
	// held when it began, estimated from samples.
	FirstBytes  int64
	HeldAtStart []Stack
}

// Later is what N later operations allocate, each on average; N is 0 if it is not known.
type Later struct {
	N                       int
	AllocsPerOp, BytesPerOp float64
}

// A Stack is the objects of one size that were allocated with one stack of calls.
type Stack struct {
	// Objects is a difference between two runs. It is negative if the smaller run allocated what the larger did not.
	Objects int64
	// Size is the size of each object in bytes, as rounded up by the allocator; of a tiny object, see Apart.
	Size int64
	// Frames are the calls, innermost first, also in the runtime. Inlined calls are frames of their own.
	Frames []Frame
}

// A Frame is one call: the function's full name, and the position in it.
type Frame struct {
	Func, File string
	Line       int
}

// The words that begin an event's line.
const (
	wordTests      = "tests"
	wordBenchmarks = "benchmarks"
	wordBegin      = "begin"
	wordBenchmark  = "benchmark"
	wordTime       = "time"
	wordApart      = "apart"
	wordLater      = "later"
	wordLive       = "live"
	wordFailed     = "failed"
	wordSkipped    = "skipped"
	wordStack      = "stack"
	wordFrame      = "frame"
	wordConfirmed  = "confirmed"
	wordDone       = "done"
)

// The parts of a test binary, each of which is run in a process of its own. The program's last argument is one of them.
const (
	Tests      = "tests"
	Benchmarks = "benchmarks"
)

// AppendTests appends the event that the tests have ended, with their exit code.
func AppendTests(b []byte, code int) []byte {
	b = append(b, wordTests...)
	return append(number(b, int64(code)), '\n')
}

// AppendMeasuring appends the event with which the report of a program that measures benchmarks begins.
func AppendMeasuring(b []byte) []byte { return append(append(b, wordBenchmarks...), '\n') }

// AppendBegin appends the event that a benchmark begins.
func AppendBegin(b []byte, name string) []byte {
	return append(quoted(append(b, wordBegin...), name), '\n')
}

// AppendSkipped appends the event that a benchmark called b.Skip.
func AppendSkipped(b []byte, name, why string) []byte {
	return append(quoted(quoted(append(b, wordSkipped...), name), why), '\n')
}

// AppendBenchmark appends the events of one measured benchmark.
func AppendBenchmark(b []byte, m Benchmark) []byte {
	if m.Failed {
		b = append(b, wordFailed...)
		return append(quoted(b, m.Name), '\n')
	}
	b = append(b, wordBenchmark...)
	b = number(quoted(b, m.Name), int64(m.N))
	for _, f := range []float64{m.NsPerOp, m.BytesPerOp, m.AllocsPerOp} {
		b = strconv.AppendFloat(append(b, ' '), f, 'g', -1, 64)
	}
	b = append(number(b, int64(m.Profiled)), '\n')
	if m.LiveBytesPerOp > 0 {
		b = append(strconv.AppendFloat(append(append(b, wordLive...), ' '), m.LiveBytesPerOp, 'g', -1, 64), '\n')
	}
	for _, ns := range m.NsSamples {
		b = append(strconv.AppendFloat(append(append(b, wordTime...), ' '), ns, 'g', -1, 64), '\n')
	}
	if m.Later.N > 0 {
		b = number(append(b, wordLater...), int64(m.Later.N))
		for _, f := range []float64{m.Later.AllocsPerOp, m.Later.BytesPerOp} {
			b = strconv.AppendFloat(append(b, ' '), f, 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	if m.Apart {
		b = append(append(b, wordApart...), '\n')
	}
	b = appendStacks(b, m.Stacks)
	if m.Confirmed > 0 {
		b = append(number(number(append(b, wordConfirmed...), int64(m.Confirmed)), m.FirstBytes), '\n')
		b = appendStacks(b, m.HeldAtStart)
	}
	return b
}

func appendStacks(b []byte, stacks []Stack) []byte {
	for _, s := range stacks {
		b = append(b, wordStack...)
		b = append(number(number(b, s.Objects), s.Size), '\n')
		for _, f := range s.Frames {
			b = append(b, wordFrame...)
			b = append(number(quoted(quoted(b, f.Func), f.File), int64(f.Line)), '\n')
		}
	}
	return b
}

// AppendDone appends the event that ends a report.
func AppendDone(b []byte) []byte { return append(append(b, wordDone...), '\n') }

func number(b []byte, n int64) []byte { return strconv.AppendInt(append(b, ' '), n, 10) }

func quoted(b []byte, s string) []byte { return strconv.AppendQuote(append(b, ' '), s) }

// FileVariable is the environment variable that names the report's file to a natively run binary; the file exists.
const FileVariable = "CHECKALLOC_REPORT"

// DescriptorVariable is the environment variable that gives the number of the report's open file to a binary that
// cannot open files. It replaces FileVariable.
const DescriptorVariable = "CHECKALLOC_REPORT_DESCRIPTOR"

// Environment variables, beside FileVariable, of a binary that measures a package in place.
const (
	BenchVariable = "CHECKALLOC_BENCH" // the pattern that selects benchmarks, as -bench of go test
	CountVariable = "CHECKALLOC_COUNT" // how many NsSamples to take
	LimitVariable = "CHECKALLOC_LIMIT" // a duration after which it ends by itself, should the checker be gone
	// BenchtimeVariable is how much of a benchmark to measure, as -benchtime of go test; "" for as much as its figures
	// need to be stable.
	BenchtimeVariable = "CHECKALLOC_BENCHTIME"
	// TimingVariable is set if only time is measured: one sample of each benchmark.
	TimingVariable = "CHECKALLOC_TIMING"
	// FiguresVariable is set if allocations are counted and not located: the report has no stacks.
	FiguresVariable = "CHECKALLOC_FIGURES"
	// WithoutVariable has the names of benchmarks to leave out, one a line.
	WithoutVariable = "CHECKALLOC_WITHOUT"
)

// HostModule and HostFunction name what a binary for WebAssembly imports from its host to report: a function of an
// address and a length in bytes, which appends those bytes to the report.
const (
	HostModule   = "checkalloc"
	HostFunction = "write"
)
