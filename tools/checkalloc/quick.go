package main

import (
	"context"
	"sync"
	"sync/atomic"

	"onthestack/internal/exercise"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// A quick builder builds by the go command until what it takes to build without is at hand, which halves the time. It pays where
// checks follow one another.
type quick struct {
	verdict.Builder
	prepared atomic.Pointer[toolchain.Prepared]
}

// quickly has the checker build quickly until end is called.
func quickly(ctx context.Context, checker *verdict.Checker, catalog exercise.Catalog) (end func()) {
	tools, native := checker.Builder.(*toolchain.Toolchain)
	if !native || checker.Runner.Engine() != "native" {
		return func() {}
	}
	q := &quick{Builder: tools}
	checker.Builder = q
	var imports []string
	for _, e := range catalog {
		imports = append(imports, e.Dependencies()...)
	}
	ctx, cancel := context.WithCancel(ctx)
	var preparing sync.WaitGroup
	preparing.Go(func() {
		// Where it fails, the go command builds on, and says why it cannot.
		if p, err := tools.Prepare(ctx, imports...); err == nil {
			q.prepared.Store(p)
		}
	})
	return func() {
		cancel()
		preparing.Wait()
		if p := q.prepared.Load(); p != nil {
			p.Close()
		}
	}
}

func (q *quick) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	if p := q.prepared.Load(); p != nil {
		return p.BuildTest(ctx, src)
	}
	return q.Builder.BuildTest(ctx, src)
}
