package command

import (
	"context"
	"sync"
	"sync/atomic"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// A preparingBuilder builds with the go command until the builder that needs no go command is prepared, which takes
// half the time for a build. Preparing pays if several checks follow one another.
type preparingBuilder struct {
	verdict.Builder
	prepared atomic.Pointer[build.Prepared]
}

// buildFaster replaces the builder of a native checker by a preparingBuilder; close frees what it has prepared.
func buildFaster(ctx context.Context, checker *verdict.Checker, catalog exercise.Catalog) (close func()) {
	tools, native := checker.Builder.(*build.Toolchain)
	if !native || checker.Runner.Engine() != "native" {
		return func() {}
	}
	b := &preparingBuilder{Builder: tools}
	checker.Builder = b
	var imports []string
	for _, e := range catalog {
		imports = append(imports, e.Dependencies()...)
	}
	ctx, cancel := context.WithCancel(ctx)
	var preparing sync.WaitGroup
	preparing.Go(func() {
		// If this fails, the go command goes on building, and reports what is wrong.
		if p, err := tools.Prepare(ctx, imports...); err == nil {
			b.prepared.Store(p)
		}
	})
	return func() {
		cancel()
		preparing.Wait()
		if p := b.prepared.Load(); p != nil {
			p.Close()
		}
	}
}

func (b *preparingBuilder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if p := b.prepared.Load(); p != nil {
		return p.BuildTest(ctx, src)
	}
	return b.Builder.BuildTest(ctx, src)
}
