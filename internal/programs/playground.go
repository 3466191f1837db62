package programs

import (
	"context"

	"onthestack/internal/execution"
)

// A Runner runs built programs.
type Runner interface {
	// RunProgram runs a main package, or the tests of one, to its end or to a limit.
	RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error)
}

// A Loader loads the built tests of a program that report as package harness/wire describes. Its programs are run with
// the arguments of a test binary in place of the part.
type Loader interface {
	Load(ctx context.Context, binary string) (execution.TestProgram, error)
}

// A Vetter returns what go vet reports on a program that builds, "" for nothing.
type Vetter interface {
	Vet(ctx context.Context, plan Plan) (problems string, err error)
}

// A Playground builds, runs and vets programs that clients send, and answers as play.golang.org does.
type Playground struct {
	Compiler
	Runner Runner
	Loader Loader // nil if benchmarks are not explained
	Vetter Vetter // nil if programs are not vetted
	Output int    // the Runner's limit on output in bytes, for error messages; 0 if unknown
}
