// Package playground builds and runs programs for clients of play.golang.org's protocol: it returns a program's output,
// why it does not build, or its escape report.
//
// It builds and runs nothing itself: its callers provide a Builder and a Runner. It does not depend on HTTP.
package playground

import (
	"context"

	"onthestack/internal/execution"
)

// A Builder builds programs. A mistake in a program is not an error: it is in the Build's output.
type Builder interface {
	// Build builds a main package or, with p.Test, the tests of one.
	Build(ctx context.Context, p compilelink.Program) (*execution.Build, error)
	// Report compiles a package with the compiler's escape report, without linking it.
	Report(ctx context.Context, p compilelink.Program) (*execution.Build, error)
}

// A Runner runs binaries.
type Runner interface {
	// RunProgram runs the binary of a main package, or of its tests, until it ends or reaches a limit.
	RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error)
}

// A Vetter returns vet's messages about a program that builds, "" for none.
type Vetter interface {
	Vet(ctx context.Context, plan Plan) (problems string, err error)
}

// A Playground builds and runs programs.
type Playground struct {
	Builder  Builder
	Runner   Runner
	Vetter   Vetter // nil for none
	GOOS     string // what programs are built for, on WebAssembly
	Language string // of a program that has no go.mod, "1.26"
	Output   int    // the limit of Runner on a program's output in bytes, for error messages; 0 if unknown
}

// Plan plans the build of a program. problem, for the sender, is why it cannot be built.
func (p Playground) Plan(body string) (plan program.Plan, problem string) {
	files, err := program.Split([]byte(body))
	if err != nil {
		return plan, err.Error()
	}
	return files.Plan(p.GOOS, p.Language)
}

// Source returns the program of a plan as builders take it.
func Source(plan program.Plan) compilelink.Program {
	return compilelink.Program{Files: plan.Files, Test: plan.Test, Experiments: plan.Experiments}
}
