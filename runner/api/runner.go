package api

import (
	"context"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
)

// A runner runs programs and tests for a task. It counts each run in the metrics, reports the end of the request's time
// as a limit that the program reached, and records whether the result is transient.
type runner struct {
	*progress
	tests verdict.Runner
}

var (
	_ programs.Runner = runner{}
	_ step.Recorder   = runner{}
	_ verdict.Runner  = runner{}
)

// RunProgram runs a program in the sandbox.
func (r runner) RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error) {
	start := time.Now()
	run, err := r.runProgram(ctx, binary, args)
	if late, ok := timedOut(err); ok {
		run, err = late.program(), nil
	}
	r.metrics.Program(start, run, err)
	if err == nil && run.Stop.Kind.Transient() {
		r.transient.Store(true)
	}
	return run, err
}

// runProgram runs a program as sandbox.Wasm.RunProgram does: it interprets the program first, and compiles it only if
// that takes long. The compiled run is in the background of the queue. If there is no room there, the task is queued
// again. A task that is in the background, or was queued again, begins with compiled code.
func (r runner) runProgram(ctx context.Context, binary string, args []string) (*execution.Result, error) {
	w := sandbox.Wasm{Limits: r.settings.Program, Zones: r.on.zones}
	if !r.task.InBackground() && !r.task.TakesLong {
		if result, again, err := w.RunInterpreted(ctx, binary, args...); err != nil || !again {
			return result, err
		}
		r.task.TakesLong = true
	}
	if err := r.task.Background(); err != nil {
		return nil, err
	}
	return runInProcess(ctx, r.timer, w, binary, args, r.builds.Crowded)
}

// Record runs a program that records its steps, in the sandbox.
func (r runner) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	start := time.Now()
	recording, err := sandbox.Wasm{Limits: r.settings.Program, Zones: r.on.zones}.Record(ctx, binary)
	if err != nil {
		r.metrics.Program(start, nil, err)
		return nil, err
	}
	r.metrics.Program(start, &execution.Result{Exit: recording.Exit, Stop: recording.Stop}, nil)
	if recording.Stop.Kind.Transient() {
		r.transient.Store(true)
	}
	return recording, nil
}

// Load loads the test program of a check, or of a program with benchmarks.
func (r runner) Load(ctx context.Context, binary string) (execution.TestProgram, error) {
	p, err := r.tests.Load(ctx, binary)
	return testProgram{p, r.progress}, err
}

// Engine returns the name of the engine that runs tests.
func (r runner) Engine() string { return r.tests.Engine() }

// A testProgram is the test program of a check, or of a program with benchmarks.
type testProgram struct {
	execution.TestProgram
	progress *progress
}

// Run runs the tests or the benchmarks of the program.
func (p testProgram) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	start := time.Now()
	run, err := p.TestProgram.Run(ctx, part)
	if late, ok := timedOut(err); ok {
		run, err = late.tests(), nil
	}
	p.progress.metrics.Tests(start, run, err)
	if err == nil && run.Stop.Kind.Transient() {
		p.progress.transient.Store(true)
	}
	return run, err
}
