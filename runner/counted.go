package main

import (
	"context"
	"sync/atomic"
	"time"

	"onthestack/internal/verdict"
	"onthestack/runner/metrics"
)

// A countedBuilder counts what it builds, and notes where that may end otherwise another time.
type countedBuilder struct {
	verdict.Builder
	metrics *metrics.Metrics
	passing *atomic.Bool
}

func (b countedBuilder) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	start := time.Now()
	built, err := b.Builder.BuildTest(ctx, src)
	if b.metrics.Build(start, built, err).Passing() {
		b.passing.Store(true)
	}
	return built, err
}

// A countedRunner counts what it runs, and notes the same.
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
