// Package programs plans, builds and runs programs that clients send as text, as play.golang.org does.
//
// A program is the text of one file, or of several in txtar form (files.go). A Plan says how it is built and run: as a
// main package, or as tests (plan.go). A Compiler also has a program compiled for its escape report (escape.go), and
// gives it the packages of the harness. A Playground answers requests about a program: with what the
// program prints, or with why it does not build (compile.go), and with the escape report and, for a program with
// benchmarks, a verdict on what each line allocates (explain.go). The limits and the error texts are the Go
// playground's.
//
// The package itself builds and runs nothing, and does not depend on HTTP: the runner's server and the engine in the
// page each provide a Builder and a Runner. Package step steps through the programs.
package programs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
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

// harnessFolder is the folder of the harness's packages in the module of a program that brings them.
const harnessFolder = "zzharness"

// WithHarness returns a copy of the program that can import packages of the harness, and the import path below which
// they are. If the Builder does not have them, packages returns their sources for that import path.
func (c Compiler) WithHarness(
	src execution.Source, packages func(base string) (map[string][]byte, error),
) (_ execution.Source, base string, err error) {
	src.Files = maps.Clone(src.Files)
	if c.Builder.HasHarness(src) {
		src.Harness = true
		return src, harness.ImportPath, nil
	}
	folder := harnessFolder
	for slices.ContainsFunc(slices.Collect(maps.Keys(src.Files)), func(name string) bool {
		return strings.HasPrefix(name+"/", folder+"/")
	}) {
		folder += "z"
	}
	base = modfile.ModulePath(src.Files["go.mod"]) + "/" + folder
	sources, err := packages(base)
	if err != nil {
		return src, "", fmt.Errorf("read the harness: %w", err)
	}
	for name, text := range sources {
		src.Files[folder+"/"+name] = text
	}
	return src, base, nil
}
