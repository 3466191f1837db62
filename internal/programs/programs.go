// Package programs plans, builds and runs programs that clients send as text, as play.golang.org does.
//
// A program is the text of one file, or of several in txtar form (files.go). A Plan says how it is built and run: as a
// main package, or as tests (plan.go). A Compiler also has a program compiled for its escape report (escape.go), and
// gives it the packages of the harness (harness.go). A Playground answers requests about a program: with what the
// program prints, or with why it does not build (compile.go), and with the escape report and, for a program with
// benchmarks, a verdict on what each line allocates (explain.go). The limits and the error texts are the Go
// playground's.
//
// The package itself builds and runs nothing, and does not depend on HTTP: the runner's server and the engine in the
// page each provide a Builder and a Runner. Package step steps through the programs.
package programs

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

// A Compiler plans programs for WebAssembly, and compiles them with a Builder.
type Compiler struct {
	Builder  Builder
	GOOS     string // the operating system that programs are built for
	Language string // the language version of a program without a go.mod, "1.26"
}

// Plan returns how to build a program. If it cannot be built, problem is the reason, for the sender.
func (c Compiler) Plan(body string) (plan Plan, problem string) {
	files, err := Split([]byte(body))
	if err != nil {
		return plan, err.Error()
	}
	return files.Plan(c.GOOS, c.Language)
}
