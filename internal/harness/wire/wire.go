// Package wire is the form in which a checked test binary reports to the checker.
//
// The binary is started twice, in a process each: once for the tests and, when they passed, once for the benchmarks.
// Its last argument names the part. A report is text, an event a line, written as things happen; that of the tests is
//
//	tests 0
//	done
//
// and that of the benchmarks
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
// The stacks behind "confirmed" are those of Kept.
//
// For a package that is no exercise, "begin" names each benchmark before it is run, so that it is known which of them
// hangs, and "time" lines behind a benchmark's have the ns/op of further runs.
//
// A program that dies half-way has told all up to there, and the missing "done" shows that it did not come to its end.
// The report travels beside stdout and stderr, on a channel that only the checker's own code in the binary holds (see
// package testmain), so nothing that a program prints is taken for it.
package wire

import "strconv"

// A Report is what a test binary told.
type Report struct {
	// Tested is true once the package's tests came to their end; Code is their exit code, 0 when all passed.
	Tested bool
	Code   int
	// Measuring is true for a report of the benchmarks.
	Measuring bool
	// Benchmarks are the measured benchmarks, in their order.
	Benchmarks []Benchmark
	// Running is the benchmark that began last, while nothing else is known of it.
	Running string
	// Done is true when the program told all.
	Done bool
}

// A Benchmark is what one benchmark function measured.
type Benchmark struct {
	Name string
	// Failed is true when the function called b.Fatal, b.Error or the like; its message is on stdout and nothing below is
	// set.
	Failed bool
	// N is the number of operations that the figures were measured over. They are finite, not negative, and unrounded.
	N                                int
	NsPerOp, BytesPerOp, AllocsPerOp float64
	// NsSamples are ns/op of further runs, for their time alone.
	NsSamples []float64
	// Profiled is the number of operations that Stacks were recorded over, every allocation of them.
	Profiled int
	Stacks   []Stack
	// Confirmed is the number of operations over which figures that meet their targets were counted again and still met
	// them; 0 for none.
	Confirmed int
	// FirstBytes is how much the first operation allocated, where Confirmed is not 0, and Kept what the benchmark held
	// when it began: an estimate from samples.
	FirstBytes int64
	Kept       []Stack
}

// A Stack is what was allocated with one stack of calls, in objects of one size.
type Stack struct {
	// Objects is a difference between runs; below 0 where the smaller run allocated what the larger did not.
	Objects int64
	// Size of each object in bytes, as the allocator rounds it.
	Size int64
	// Frames are the calls, innermost first, those of the runtime included and inlined calls as frames of their own.
	Frames []Frame
}

// A Frame is one call: a function by its full name, and the place in it.
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
	wordFailed     = "failed"
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

// AppendTests appends the event that the tests ended, with their exit code.
func AppendTests(b []byte, code int) []byte {
	b = append(b, wordTests...)
	return append(number(b, int64(code)), '\n')
}

// AppendMeasuring appends the event that benchmarks are about to be measured, in a program that is run for them.
func AppendMeasuring(b []byte) []byte { return append(append(b, wordBenchmarks...), '\n') }

// AppendBegin appends the event that a benchmark is run.
func AppendBegin(b []byte, name string) []byte {
	return append(quoted(append(b, wordBegin...), name), '\n')
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
	for _, ns := range m.NsSamples {
		b = append(strconv.AppendFloat(append(append(b, wordTime...), ' '), ns, 'g', -1, 64), '\n')
	}
	b = appendStacks(b, m.Stacks)
	if m.Confirmed > 0 {
		b = append(number(number(append(b, wordConfirmed...), int64(m.Confirmed)), m.FirstBytes), '\n')
		b = appendStacks(b, m.Kept)
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

// What a binary that measures a package of the user's takes from its environment beside FileVariable.
const (
	BenchVariable = "CHECKALLOC_BENCH" // the pattern that selects benchmarks, as -bench of go test
	CountVariable = "CHECKALLOC_COUNT" // how many NsSamples to take
	LimitVariable = "CHECKALLOC_LIMIT" // a duration after which it ends by itself, should the checker be gone
)

// HostModule and HostFunction name what a binary for WebAssembly imports from its host to report: a function of an
// address and a length in bytes, which appends those bytes to the report.
const (
	HostModule   = "checkalloc"
	HostFunction = "write"
)
