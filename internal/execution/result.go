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
