package execution

import "context"

// A TestProgram is a test binary that was loaded. Its runs are one after the other.
type TestProgram interface {
	// Run runs a part of the program, wire.Tests or wire.Benchmarks, to its end or to a limit: in a process or a
	// WebAssembly instance of its own, with memory that no run before has seen. All runs of a program together have one
	// limit of time.
	Run(ctx context.Context, part string) (*TestRun, error)
	// Close frees what the program takes up.
	Close() error
}

// A TestRun is how a run of a test binary ended.
type TestRun struct {
	Report []byte // as package harness/wire describes
	Output []byte // stdout and stderr
	Exit   int    // exit code
	Stop   Stop
}
