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
//	benchmark "BenchmarkReplace" 1000 412.5 64 1 100 0 false 0 0 0 20000 64
//	stack 100 64
//	frame "runtime.makeslice" "runtime/slice.go" 117
//	frame "onthestack/exercises/exercise6.Replace" "onthestack/exercises/exercise6/feed.go" 21
//	held 1 4096
//	frame "onthestack/exercises/exercise6.New" "onthestack/exercises/exercise6/feed.go" 12
//	failed "BenchmarkOther"
//	done
//
// The line of a benchmark has the fields of Benchmark in their order, then the fields of Later, then NsSamples. The
// lines of its stacks and of what it held at the start are below it: the fields Objects and Size of each, and its
// frames.
//
// For a package that is not an exercise, "begin" names each benchmark before it is run, so that the checker knows which
// one does not end.
//
// If a program dies, its report has everything up to that point, and the missing "done" shows that it is incomplete.
// Nothing that a program prints can be mistaken for its report, which travels beside stdout and stderr on a channel
// that only the checker's own code in the binary holds (see package testmain).
package wire

import "fmt"

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
	// Profiled is the number of operations over which Stacks were recorded, with every allocation.
	Profiled int
	// LiveBytesPerOp are the bytes that an operation leaves in use; 0 if the benchmark has no target for them.
	LiveBytesPerOp float64
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
	FirstBytes int64
	// NsSamples are the ns/op of further runs that measured time alone.
	NsSamples           []float64
	Stacks, HeldAtStart []Stack
}

// Later is what N later operations allocate, each on average; N is 0 if it is not known.
type Later struct {
	N           int     `json:"n"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
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
	wordFailed     = "failed"
	wordSkipped    = "skipped"
	wordStack      = "stack"
	wordHeld       = "held"
	wordFrame      = "frame"
	wordDone       = "done"
)

// The parts of a test binary, each of which is run in a process of its own. The program's last argument is one of them.
const (
	Tests      = "tests"
	Benchmarks = "benchmarks"
)

// AppendTests appends the event that the tests have ended, with their exit code.
func AppendTests(b []byte, code int) []byte { return fmt.Appendf(b, "%s %d\n", wordTests, code) }

// AppendMeasuring appends the event with which the report of a program that measures benchmarks begins.
func AppendMeasuring(b []byte) []byte { return append(b, wordBenchmarks+"\n"...) }

// AppendBegin appends the event that a benchmark begins.
func AppendBegin(b []byte, name string) []byte { return fmt.Appendf(b, "%s %q\n", wordBegin, name) }

// AppendSkipped appends the event that a benchmark called b.Skip.
func AppendSkipped(b []byte, name, why string) []byte {
	return fmt.Appendf(b, "%s %q %q\n", wordSkipped, name, why)
}

// AppendBenchmark appends the events of one measured benchmark.
func AppendBenchmark(b []byte, m Benchmark) []byte {
	if m.Failed {
		return fmt.Appendf(b, "%s %q\n", wordFailed, m.Name)
	}
	b = fmt.Appendf(b, "%s %q %d %v %v %v %d %v %t %d %v %v %d %d", wordBenchmark, m.Name, m.N,
		m.NsPerOp, m.BytesPerOp, m.AllocsPerOp, m.Profiled, m.LiveBytesPerOp, m.Apart,
		m.Later.N, m.Later.AllocsPerOp, m.Later.BytesPerOp, m.Confirmed, m.FirstBytes)
	for _, ns := range m.NsSamples {
		b = fmt.Appendf(b, " %v", ns)
	}
	b = appendStacks(append(b, '\n'), wordStack, m.Stacks)
	return appendStacks(b, wordHeld, m.HeldAtStart)
}

func appendStacks(b []byte, word string, stacks []Stack) []byte {
	for _, s := range stacks {
		b = fmt.Appendf(b, "%s %d %d\n", word, s.Objects, s.Size)
		for _, f := range s.Frames {
			b = fmt.Appendf(b, "%s %q %q %d\n", wordFrame, f.Func, f.File, f.Line)
		}
	}
	return b
}

// AppendDone appends the event that ends a report.
func AppendDone(b []byte) []byte { return append(b, wordDone+"\n"...) }

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
