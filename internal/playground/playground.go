// Package playground answers requests about a program as play.golang.org does: with what the program prints, or with
// why it does not build. It can also answer with the escape report and, for a program with benchmarks, with a verdict
// on what each line allocates (explain.go). Its limits and error texts are the playground's.
//
// A program is the text of one file, or of several in txtar form (files.go). A Plan says how it is built and run: as a
// main package, or as tests (plan.go). The package itself neither builds nor runs programs: the runner's server and the
// engine in the page each provide a Builder and a Runner. It does not depend on HTTP.
package playground

import (
	"context"

	"onthestack/internal/execution"
)

// A Builder builds programs. A mistake in a program is not an error: it is in the Build's output.
type Builder interface {
	// Build builds a main package or, with src.Test, the tests of one.
	Build(ctx context.Context, src execution.Source) (*execution.Build, error)
	// Report compiles a package with the compiler's escape report, and links nothing.
	Report(ctx context.Context, src execution.Source) (*execution.Build, error)
	// HasHarness reports whether Build finds the packages of the harness for this program, with src.Harness, so that
	// the program need not bring them.
	HasHarness(src execution.Source) bool
}

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

// A Playground builds, runs and vets programs that clients send.
type Playground struct {
	Builder  Builder
	Runner   Runner
	Loader   Loader // nil if benchmarks are not explained
	Vetter   Vetter // nil if programs are not vetted
	GOOS     string // the operating system that programs are built for, on WebAssembly
	Language string // the language version of a program without a go.mod, "1.26"
	Output   int    // the Runner's limit on output in bytes, for error messages; 0 if unknown
}

// Plan returns how to build a program. If it cannot be built, problem is the reason, for the sender.
func (p Playground) Plan(body string) (plan Plan, problem string) {
	files, err := Split([]byte(body))
	if err != nil {
		return plan, err.Error()
	}
	return files.Plan(p.GOOS, p.Language)
}

// Source returns the plan as a toolchain's input.
func Source(plan Plan) execution.Source {
	return execution.Source{Files: plan.Files, Test: plan.Test, Experiments: plan.Experiments}
}
