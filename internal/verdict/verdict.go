// Package verdict combines an exercise's tests, benchmarks, memory profile and escape report into one Verdict. It is
// the only place that decides between pass and fail. It builds and runs nothing itself: its callers provide a Builder
// and a Runner.
//
// A check goes through the stages in check.go: policy (policy.go), build (build.go), tests (report.go) and
// benchmark (measure.go). Package why then explains what each line allocates. A new stage is a constant in this file
// and a step in check.go; the pages' words for it are in web/src/verdict/words.ts.
//
// A new field of the verdict goes into Verdict or a type below it, in verdict.go or, for a line that allocates, in
// why/why.go. "make generate" then writes the types of the pages, in web/src/go.
package verdict

import (
	"fmt"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
	"onthestack/internal/why"
)

// Schema identifies the JSON format of a Verdict.
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

// A Verdict is the result of one check. A solver's mistakes are data in it, never an error.
type Verdict struct {
	Schema   string `json:"schema"`
	Exercise string `json:"exercise"` // "" for a package that is not an exercise
	Title    string `json:"title"`
	Package  string `json:"package,omitempty"` // the import path of a package that is not an exercise

	Go     string `json:"go"` // "go1.26.8": the release that built the program
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Engine string `json:"engine"` // "native", "confined" or "wasm"

	Pass  bool   `json:"pass"`
	Stage string `json:"stage"` // the first stage that failed, "" when all passed
	// Provisional is why a pass is provisional: the exercise asks for the race detector, and the detector did not run.
	// It is "" otherwise.
	Provisional string `json:"provisional,omitempty"`
	// Note is a sentence on a pass of an exercise whose starter passes too: that nothing had to be changed. It is ""
	// otherwise.
	Note string `json:"note,omitempty"`

	// Errors are the problems for which the policy or build stage failed.
	Errors []Problem `json:"errors"`
	Tests  Tests     `json:"tests"`
	// Benchmarks are the measured benchmarks, in the manifest's order; empty when an earlier stage failed.
	Benchmarks []Benchmark `json:"benchmarks"`
	// NotMeasured are benchmarks without figures, of a package that is not an exercise.
	NotMeasured []NotMeasured `json:"not_measured,omitempty"`
	// Allocations are the lines that allocated while the benchmarks ran, most first.
	Allocations []Allocation `json:"allocations"`
	// Inside are the lines of other packages that allocated for the lines in Allocations, most first. Allocations
	// counts what they allocated too.
	Inside []Allocation `json:"inside,omitempty"`
	// Escapes are all of the compiler's diagnostics about the package, in source order.
	Escapes []escape.Diagnostic `json:"escapes"`
	// Advice is what to do next after a check of an exercise that failed, the most specific first; package advice makes
	// it.
	Advice []Advice `json:"advice,omitempty"`
	// SetAside names the solver's files that were not used, because they differ from the exercise's own or are not part
	// of it.
	SetAside []string `json:"set_aside"`
	// Estimated is the reason why the program of a package that is no exercise was linked with an unchanged standard
	// library; "" if it was not. Tiny objects then share blocks, and calls of timers are found by name.
	Estimated string `json:"estimated,omitempty"`
	// Names are the names of packages that Callees name by their import paths. They are not part of the JSON.
	Names why.PackageNames `json:"-"`
}

// A Problem is a mistake in the solver's code, with its position. Line and Col count from 1, Col in bytes; 0 is
// unknown.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
	// Stopped is true if the build reached a limit, which Message names. It is not part of the JSON.
	Stopped bool `json:"-"`
}

// Place returns the position as far as it is known: "sum.go:7:2", "sum.go:7", "sum.go" or "".
func (p Problem) Place() string {
	switch {
	case p.File == "" || p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Tests is the result of the tests.
type Tests struct {
	Run    int `json:"run"`
	Failed int `json:"failed"`
	// Output is the output of the tests and the solver's code, shortened to about 8 KiB; "" if all passed.
	Output string `json:"output"`
	Race
	// Incomplete is true if the program ended or was stopped before its tests ended, so that Failed
	// is no count of them.
	Incomplete bool `json:"incomplete,omitempty"`
	// Unfinished is true if the program ended before its tests did and no test had failed by then. It is not part of
	// the JSON.
	Unfinished bool `json:"-"`
}

// A Race is the result of the tests under the race detector.
type Race struct {
	State RaceState `json:"race,omitempty"`
	Why   string    `json:"race_why,omitempty"` // the reason if they did not run under it
}

// A RaceState says whether tests ran under the race detector, and how that ended.
type RaceState string

// The values of a RaceState.
const (
	RaceNotAsked RaceState = "" // the exercise does not ask for the race detector
	RacePassed   RaceState = "passed"
	RaceFailed   RaceState = "failed"
	RaceNotRun   RaceState = "not run"
)

// A Benchmark is one measured benchmark, compared with its target. Figures are not rounded.
type Benchmark struct {
	Name string `json:"name"`
	N    int    `json:"n"`
	// Confirmed is the number of operations over which the targets were met again, after the N operations of the
	// figures. It is 0 if a target was missed or there is none.
	Confirmed int `json:"confirmed,omitempty"`
	// Confirms is the benchmark whose pass this one does not confirm; "" for a benchmark of the manifest.
	Confirms string  `json:"confirms,omitempty"`
	NsPerOp  float64 `json:"ns_per_op"`
	// NsSamples are the ns/op of several runs that measure time alone; NsPerOp is then their median.
	NsSamples   []float64 `json:"ns_samples,omitempty"`
	BytesPerOp  float64   `json:"bytes_per_op"`
	AllocsPerOp float64   `json:"allocs_per_op"`
	// Later is set if the figures grow with the number of operations: what later operations allocate.
	Later        *wire.Later `json:"later,omitempty"`
	TargetAllocs *float64    `json:"target_allocs,omitempty"` // nil: no target
	TargetBytes  *float64    `json:"target_bytes,omitempty"`
	// LiveBytesPerOp are the bytes of the heap that an operation leaves in use, because its result refers to them. They
	// are measured if there is a target for them.
	LiveBytesPerOp  *float64 `json:"live_bytes_per_op,omitempty"`
	TargetLiveBytes *float64 `json:"target_live_bytes,omitempty"`
	Pass            bool     `json:"pass"`
	// Why is the reason if figures that meet their targets do not pass; "" otherwise.
	Why string `json:"why,omitempty"`
}

// Grows returns a sentence on figures that grow with the number of operations, without its full stop, "" for others.
func (b Benchmark) Grows() string {
	if b.Later == nil {
		return ""
	}
	return fmt.Sprintf("%s allocates more with each operation, so there is no steady figure: %s and %s are for %d "+
		"operations; %d later ones have %s and %s", b.Name, FormatAllocs(b.AllocsPerOp),
		FormatBytes(b.BytesPerOp)+" B/op", b.N, b.Later.N, FormatAllocs(b.Later.AllocsPerOp),
		FormatBytes(b.Later.BytesPerOp)+" B/op")
}

// MissesLive reports whether an operation leaves more bytes in use than the benchmark's target.
func (b Benchmark) MissesLive() bool {
	return b.LiveBytesPerOp != nil && b.TargetLiveBytes != nil && *b.LiveBytesPerOp > *b.TargetLiveBytes
}

// A NotMeasured is a benchmark without figures, and why it has none.
type NotMeasured struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"` // "skipped", "failed", "stopped" or "not run"
	Why     string `json:"why"`
}

// The outcomes of a NotMeasured.
const (
	Skipped = "skipped"
	Failed  = "failed"
	Stopped = "stopped" // the benchmark ended the program, or was ended with it
	NotRun  = "not run"
)

// An Advice is something to do after a check that failed.
type Advice struct {
	Kind AdviceKind `json:"kind"`
	// File and Line are the place that Text is about: the base name of a file, and a line of it, counted from 1. They are
	// "" and 0 if it is about none.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Text is a sentence that begins in lower case, or several, with code between backticks. It names the line as
	// "line 7".
	Text string `json:"text"`
	// Command is a command for a terminal, in the folder of the module, that helps to follow Text; "" for none.
	Command string `json:"command,omitempty"`
	// Mistake is the name of the likely mistake that was recognized; "" for advice of another kind.
	Mistake string `json:"mistake,omitempty"`
}

// An AdviceKind is a kind of Advice. Pages add to Text what one can do there (web/src/verdict/advice.ts).
type AdviceKind string

// The kinds of Advice, by the stage that failed.
const (
	AdviseMistake AdviceKind = "mistake" // a likely mistake, at any stage

	AdvisePolicy AdviceKind = "policy"
	AdviseFile   AdviceKind = "file" // a file is missing or cannot be read

	AdviseBuild     AdviceKind = "build"
	AdviseImports   AdviceKind = "imports"   // one is missing, or is not used
	AdviseSignature AdviceKind = "signature" // the tests do not compile
	AdviseLimit     AdviceKind = "limit"     // the build reached a limit

	AdviseTests   AdviceKind = "tests"
	AdviseEndless AdviceKind = "endless" // the tests did not end

	AdviseBenchmark AdviceKind = "benchmark" // it did not finish
	AdviseAhead     AdviceKind = "ahead"     // memory is allocated ahead for later operations
	AdviseBytes     AdviceKind = "bytes"     // only B/op miss their target
	AdviseLive      AdviceKind = "live"      // live B/op miss their target
	AdviseEnd       AdviceKind = "end"       // several values get to the heap on one line
	AdviseRemedy    AdviceKind = "remedy"    // what can be done about the reason for an allocation
	AdviseElsewhere AdviceKind = "elsewhere" // no line of the solver's allocates
	AdviseReport    AdviceKind = "report"    // read the compiler's report
)

// An Allocation is a line that allocated, and a Reason is the compiler's for it.
type (
	Allocation = why.Allocation
	Reason     = why.Reason
)
