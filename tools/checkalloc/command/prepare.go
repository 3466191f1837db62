package command

import (
	"context"
	"sync"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// prepareBuilds makes a native checker build without the go command, which takes half as long. The preparation is one
// call of the go command, and pays for a single check already. Checks may begin at once: only their builds wait for it.
// stop ends the preparation and removes its files.
func prepareBuilds(ctx context.Context, checker *verdict.Checker, exercises exercise.Catalog) (stop func()) {
	tools, native := checker.Builder.(*build.Toolchain)
	if !native || checker.Runner.Engine() != "native" {
		return func() {}
	}
	var imports []string
	for _, e := range exercises {
		imports = append(imports, e.Dependencies()...)
	}
	ctx, cancel := context.WithCancel(ctx)
	var preparing sync.WaitGroup
	// If this fails, builds use the go command, which reports what is wrong.
	preparing.Go(func() { tools.Prepare(ctx, imports...) })
	checker.Builder = preparedBuilder{tools, &preparing}
	return func() {
		cancel()
		preparing.Wait()
		tools.Close()
	}
}

// A preparedBuilder builds when its preparation is over.
type preparedBuilder struct {
	tools     *build.Toolchain
	preparing *sync.WaitGroup
}

// BuildTest implements verdict.Builder.
func (b preparedBuilder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	b.preparing.Wait()
	return b.tools.BuildTest(ctx, src)
}
