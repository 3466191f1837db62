package execution

import (
	"context"
	"fmt"
)

// A Result is how the run of a program ended.
type Result struct {
	Events []Event
	Exit   int // exit code
	Stop   Stop
}

// Overflow is the message of Go's runtime for a goroutine whose stack overflows. It is appended to the output of a
// program whose calls exceed the stack of a WebAssembly engine, because the engine ends such a program without a
// message.
const Overflow = "fatal error: stack overflow\n"

// Note returns the line to append to the output of a program that s stopped, "" for none. The note for RunTime begins
// like the Go playground's note, because the playground's clients recognize it.
func (s Stop) Note() string {
	switch s.Kind {
	case RunTime:
		return fmt.Sprintf("timeout running program after %v\n", s.Time)
	case RequestTime:
		return fmt.Sprintf("timeout running program: building and running it took longer than %v\n", s.Time)
	case LoadTime:
		return fmt.Sprintf("the program was not started: making it ready took longer than %v\n", s.Time)
	case StackDepth:
		return Overflow
	}
	return ""
}

// A TestProgram is a loaded test binary. Only one run may be in progress at a time.
type TestProgram interface {
	// Run runs a part of the program, wire.Tests or wire.Benchmarks, to its end or to a limit. Each run has a process
	// or a WebAssembly instance of its own, with fresh memory. All runs of a program share one limit on time.
	Run(ctx context.Context, part string) (*TestRun, error)
	// Close releases the program's resources.
	Close() error
}

// A TestRun is how a run of a test binary ended.
type TestRun struct {
	Report []byte // in the format of package harness/wire
	Output []byte // stdout and stderr
	Exit   int    // exit code
	Stop   Stop
}

// A Source is a package to build, with all files of its module that it needs.
type Source struct {
	Files map[string][]byte // by slash-separated path from the root of the module
	// Dir is the slash-separated folder of the package, "" for the root of the module. A program that a client sent is
	// in the root; a solution is in its folder of the module onthestack.
	Dir string
	// Test means that the tests of a program are built instead of its main function.
	Test        bool
	Experiments []string // values of GOEXPERIMENT
	// Harness means that a program imports the harness's packages where they are compiled, at their own import paths.
	// Only a build without the go command finds them there.
	Harness bool
	// NoInlining means that a program is compiled without inlining any call (-l), which takes less time.
	NoInlining bool
	// Nice is added to the niceness of the processes of an isolated build, so that other processes come first.
	Nice int
}

// A Build is a built test binary. Close removes it.
type Build struct {
	OK     bool   // false: Output says why
	Binary string // path of the binary, if OK
	Output []byte // what the compiler and linker printed: build errors, or the escape report (-m=2)
	Stop   Stop

	Go, GOOS, GOARCH string

	Close func() error `json:"-"`
}

// A ToolResult is how a tool of the Go toolchain ended: the compiler, the linker, go vet, or a build with them.
type ToolResult struct {
	OK     bool   // it succeeded; for go vet, it found nothing
	Output []byte // stdout and stderr
	Stop   Stop
}

// A RaceResult is how a package's tests ended under the race detector.
type RaceResult struct {
	Built  bool   // false if the code does not compile with the race detector, that is under the build tag race
	Passed bool   // whether the tests passed
	Output []byte // what the tests printed, or the compiler if Built is false
	Stop   Stop   // the limit that stopped the build or the tests
}
