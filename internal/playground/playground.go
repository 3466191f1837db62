// Package playground answers requests about a program as play.golang.org does: with what the program prints, or with
// why it does not build. It can also answer with the escape report and, for a program with benchmarks, with a verdict
// on what each line allocates (explain.go). Its limits and error texts are the playground's.
//
// Package programs plans and builds the programs. This package itself runs none: the runner's server and the engine in
// the page each provide a programs.Builder and a Runner. It does not depend on HTTP.
package playground

import (
	"context"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
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
	Vet(ctx context.Context, plan programs.Plan) (problems string, err error)
}

// A Playground builds, runs and vets programs that clients send.
type Playground struct {
	programs.Compiler
	Runner Runner
	Loader Loader // nil if benchmarks are not explained
	Vetter Vetter // nil if programs are not vetted
	Output int    // the Runner's limit on output in bytes, for error messages; 0 if unknown
}
