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

// A countedBuilder makes all builds of one request with the server's toolchain. It counts each build, with the limit that ended it if
// any, and sets passing if a build is not deterministic, so that its answer is not cached. It implements playground.Builder and
// verdict.Builder.
type countedBuilder struct {
	server  *server
	passing *atomic.Bool
}

// Build builds a program. On a new machine the program may need packages of the standard library that are not compiled yet. If the
// build then exceeds its time limit, Build waits until all of them are compiled and builds the program again.
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

// Report compiles a program and returns the compiler's escape report.
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
	if late, ok := timedOut(err); ok {
		built, err = late.build(b.server.release.Version), nil
	}
	if b.server.metrics.Build(start, built, err).Passing() {
		b.passing.Store(true)
	}
	return built, err
}

// A countedRunner counts the test programs that it runs for checks, and sets passing if a result is not deterministic.
type countedRunner struct {
	verdict.Runner
	metrics *metrics.Metrics
	passing *atomic.Bool
}

// Load loads a test program, each run of which counts.
func (r countedRunner) Load(ctx context.Context, binary string) (verdict.Program, error) {
	program, err := r.Runner.Load(ctx, binary)
	return countedProgram{program, r}, err
}

// A countedProgram is a test program of a check.
type countedProgram struct {
	verdict.Program
	r countedRunner
}

// Run runs a part of the program.
func (p countedProgram) Run(ctx context.Context, part string) (*verdict.Run, error) {
	r, start := p.r, time.Now()
	run, err := p.Program.Run(ctx, part)
	if late, ok := timedOut(err); ok {
		run, err = late.tests(), nil
	}
	if r.metrics.Tests(start, run, err).Passing() {
		r.passing.Store(true)
	}
	return run, err
}
