// Package verdict joins an exercise's tests, benchmark, memory profile and escape report into one Verdict, and is the only
// place that decides pass or fail.
//
// It builds and runs nothing itself: a Builder and a Runner are handed to it.
package verdict

import (
	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// Schema names the JSON form of a Verdict.
const Schema = "checkalloc/verdict/1"

// The stages of a check, in their order. Verdict.Stage names the first that failed.
const (
	StagePolicy    = "policy"
	StageBuild     = "build"
	StageTests     = "tests"
	StageBenchmark = "benchmark"
)

// Stages lists the stages in their order.
func Stages() []string { return []string{StagePolicy, StageBuild, StageTests, StageBenchmark} }

// A Verdict is the outcome of one check. What a solver did wrong is data in it, never an error.
type Verdict struct {
	Schema   string `json:"schema"`
	Exercise string `json:"exercise"` // "" for a package that is none
	Title    string `json:"title"`
	Package  string `json:"package,omitempty"` // the import path of a package that is no exercise

	Go     string `json:"go"` // "go1.26.8": the release that built the program
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Engine string `json:"engine"` // "native" or "wasm"

	Pass  bool   `json:"pass"`
	Stage string `json:"stage"` // the first stage that failed, "" when all passed

	// Errors are why the policy or build stage failed.
	Errors []Problem `json:"errors"`
	Tests  Tests     `json:"tests"`
	// Benchmarks are the measured benchmarks, in the manifest's order; empty when an earlier stage failed.
	Benchmarks []Benchmark `json:"benchmarks"`
	// Allocations are the lines that allocated while the benchmarks ran, most first.
	Allocations []Allocation `json:"allocations"`
	// Escapes is all that the compiler said about the package, in the order of the source.
	Escapes []escape.Diagnostic `json:"escapes"`
	// SetAside names files of the solver's that were not used, since they differ from the exercise's own or are not part of it.
	SetAside []string `json:"set_aside"`
}

// A Problem is a mistake at a place in the solver's code. Line and Col count from 1; 0 is unknown.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// Tests is how the tests ended.
type Tests struct {
	Run    int    `json:"run"`
	Failed int    `json:"failed"`
	Output string `json:"output"` // what they and the solver's code printed, shortened; empty when all passed
	// Race is how they ended under the race detector: "passed", "failed", or "not run: " and why; "" where the exercise does not
	// ask for it.
	Race string `json:"race,omitempty"`
}

// A Benchmark is one measured benchmark, held against its target. Figures are unrounded.
type Benchmark struct {
	Name    string  `json:"name"`
	N       int     `json:"n"`
	NsPerOp float64 `json:"ns_per_op"`
	// NsSamples are ns/op of each of several runs for the time alone; NsPerOp is their median then.
	NsSamples    []float64 `json:"ns_samples,omitempty"`
	BytesPerOp   float64   `json:"bytes_per_op"`
	AllocsPerOp  float64   `json:"allocs_per_op"`
	TargetAllocs *float64  `json:"target_allocs,omitempty"` // nil: no target
	TargetBytes  *float64  `json:"target_bytes,omitempty"`
	Pass         bool      `json:"pass"`
}

// An Allocation is what one source line allocated, per operation, with the reasons that the compiler gave for that line.
type Allocation struct {
	Benchmark   string  `json:"benchmark"`
	File        string  `json:"file"`
	Line        int     `json:"line"`
	Func        string  `json:"func"`
	Code        string  `json:"code"` // the line's text, trimmed
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	// Shared is true where the count of tiny objects could not be told apart from that of other lines in the same benchmark:
	// the benchmark's sum is exact, which line made how many is by the blocks that each opened.
	Shared bool `json:"shared,omitempty"`
	// Why is the reason in words, one clause.
	Why string `json:"why"`
	// Callees are the functions between the line and the allocation, outermost first; empty where the line itself allocates.
	Callees []string `json:"callees,omitempty"`
	// Reasons are the compiler's, for values made on this line; empty where it announced no allocation.
	Reasons []Reason `json:"reasons"`

	causes []profile.Cause // the runtime's functions that allocated
}

// A Reason is why the compiler puts a value on the heap, and how the value gets there.
type Reason struct {
	Line    int           `json:"line"`
	Col     int           `json:"col"`
	Message string        `json:"message"` // the compiler's
	Why     string        `json:"why"`     // in words
	Flow    []escape.Step `json:"flow"`    // the steps worth reading
}
