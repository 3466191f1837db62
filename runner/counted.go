package main

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"onthestack/internal/direct"
	"onthestack/internal/verdict"
	"onthestack/runner/metrics"
)

// A countedBuilder makes all builds of one request with the server's toolchain. It counts each of them, with the limit that ended it,
// and sets passing where one may end otherwise another time. It implements playground.Builder and verdict.Builder.
type countedBuilder struct {
	server  *server
	passing *atomic.Bool
}

// Build builds a program. On a new machine a program may need more of the standard library than is compiled by then; where the
// time ends over that it is built again when all of it is.
func (b countedBuilder) Build(ctx context.Context, p direct.Program) (*verdict.Build, error) {
	for {
		complete := b.server.warming.over()
		built, err := b.counted(func() (*verdict.Build, error) { return b.server.tools.Build(ctx, p) })
		if err != nil || complete || !strings.HasPrefix(built.Stopped, direct.TookTooLong) {
			return built, err
		}
		built.Close()
		if err := b.server.warming.end(ctx); err != nil {
			return nil, err
		}
	}
}

// Report compiles a program with the compiler's report of what escapes.
func (b countedBuilder) Report(ctx context.Context, p direct.Program) (*verdict.Build, error) {
	return b.counted(func() (*verdict.Build, error) { return b.server.tools.Report(ctx, p) })
}

// Vet runs go vet over a program.
func (b countedBuilder) Vet(ctx context.Context, p direct.Program) (*verdict.Build, error) {
	return b.counted(func() (*verdict.Build, error) { return b.server.tools.Vet(ctx, p) })
}

// BuildTest builds the tests of a solution.
func (b countedBuilder) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	return b.counted(func() (*verdict.Build, error) { return b.server.tools.BuildTest(ctx, src) })
}

func (b countedBuilder) counted(build func() (*verdict.Build, error)) (*verdict.Build, error) {
	start := time.Now()
	built, err := build()
	if b.server.metrics.Build(start, built, err).Passing() {
		b.passing.Store(true)
	}
	return built, err
}

// A countedRunner counts a check's tests that it runs, and sets passing where they may end otherwise another time.
type countedRunner struct {
	verdict.Runner
	metrics *metrics.Metrics
	passing *atomic.Bool
}

func (r countedRunner) RunTest(ctx context.Context, binary string) (*verdict.Run, error) {
	start := time.Now()
	run, err := r.Runner.RunTest(ctx, binary)
	if r.metrics.Tests(start, run, err).Passing() {
		r.passing.Store(true)
	}
	return run, err
}
