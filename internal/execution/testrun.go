package execution

import "context"

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
