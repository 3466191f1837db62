// Package playground answers requests about a program as play.golang.org does: with what the program prints, or with
// why it does not build. It can also answer with the escape report. Its limits and error texts are the playground's.
//
// A program is the text of one file, or of several in txtar form (files.go). A Plan says how it is built and run: as a
// main package, or as tests (plan.go). The package builds and runs nothing itself: a Builder and a Runner are handed to
// it by the runner's server and by the engine in the page. It knows nothing of HTTP.
package playground

import (
	"context"

	"onthestack/internal/execution"
)

// A Builder builds programs. A mistake in a program is not an error: it is in the Build's output.
type Builder interface {
	// Build builds a main package or, with src.Test, the tests of one.
	Build(ctx context.Context, src execution.Source) (*execution.Build, error)
	// Report compiles a package with the compiler's report of what escapes, and links nothing.
	Report(ctx context.Context, src execution.Source) (*execution.Build, error)
}

// A Runner runs what was built.
type Runner interface {
	// RunProgram runs a main package, or the tests of one, to its end or to a limit.
	RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error)
}

// A Vetter says what is suspicious in a program that builds, "" for nothing.
type Vetter interface {
	Vet(ctx context.Context, plan Plan) (problems string, err error)
}

// A Playground answers for programs that are sent.
type Playground struct {
	Builder  Builder
	Runner   Runner
	Vetter   Vetter // nil: no program is vetted
	GOOS     string // what programs are built for, on WebAssembly
	Language string // of a program that has no go.mod, "1.26"
	Output   int    // the limit of Runner on a program's output in bytes, for error messages; 0 if unknown
}

// Plan reads a program. A problem, for the sender, is why it cannot be built.
func (p Playground) Plan(body string) (plan Plan, problem string) {
	files, err := Split([]byte(body))
	if err != nil {
		return plan, err.Error()
	}
	return files.Plan(p.GOOS, p.Language)
}

// Source is what a toolchain builds of a plan.
func Source(plan Plan) execution.Source {
	return execution.Source{Files: plan.Files, Test: plan.Test, Experiments: plan.Experiments}
}
