//go:build js && wasm

package main

import (
	"context"
	"slices"
	"syscall/js"
	"time"

	"onthestack/internal/execution"
)

// Limits of a program in a page, which web/src/engine/sandbox enforces. A program that does not end has to be stopped
// within ten seconds of the request; the rest of that time is for the build. All runs of a check together have three
// times as long, because a phone or a busy machine takes seconds for the benchmarks of some exercises.
const (
	runTime  = 8 * time.Second
	testTime = 3 * runTime
	loadTime = 5 * time.Second
)

// A runner runs programs in the sandbox frame. It implements verdict.Runner, programs.Runner,
// programs.Loader and step.Recorder.
type runner struct{}

// Engine implements verdict.Runner.
func (runner) Engine() string { return "wasm" }

// Load implements verdict.Runner.
func (r runner) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	return &testProgram{binary: binary, left: testTime}, nil
}

// A testProgram is a test binary, and the time that is left for its runs. The sandbox frame compiles it for the first
// run and keeps it compiled.
type testProgram struct {
	runner
	binary string
	left   time.Duration
	again  bool
}

// Close implements execution.TestProgram.
func (*testProgram) Close() error { return nil }

// Run implements execution.TestProgram.
func (p *testProgram) Run(_ context.Context, part string) (*execution.TestRun, error) {
	start := time.Now()
	ended, err := p.run(p.binary, p.again, []any{"check.test", part}, max(p.left, 0), false)
	if err != nil {
		return nil, err
	}
	p.left -= time.Since(start)
	p.again = true
	run := &execution.TestRun{Report: goBytes(ended.Get("report")), Exit: ended.Get("exit").Int()}
	stop := stopOf(ended, testTime)
	for p := range execution.Pieces(goBytes(ended.Get("printed")), false) {
		run.Output = append(run.Output, p.Text...)
	}
	if len(run.Output) > execution.MaxOutput {
		run.Output, stop = run.Output[:execution.MaxOutput], printedTooMuch
	}
	if trap := trapOf(ended); trap != "" {
		run.Output = append(run.Output, trap...)
	}
	run.Stop = stop
	return run, nil
}

// RunProgram implements programs.Runner.
func (r runner) RunProgram(_ context.Context, binary string, args ...string) (*execution.Result, error) {
	argv := []any{"prog"}
	for _, arg := range args {
		argv = append(argv, arg)
	}
	ended, err := r.run(binary, false, argv, runTime, true)
	if err != nil {
		return nil, err
	}
	stop := stopOf(ended, runTime)
	meter := &execution.Meter{Left: execution.MaxOutput, Full: func() { stop = printedTooMuch }}
	log := execution.NewLog(meter)
	var last int64 = execution.Epoch
	for p := range execution.Pieces(goBytes(ended.Get("printed")), false) {
		last = p.Time
		log.Write(p.Kind, last, p.Text)
	}
	run := &execution.Result{Exit: ended.Get("exit").Int(), Stop: stop}
	switch {
	case stop.Kind == execution.RunTime:
		run.Exit = 1
		log.Note(last, stop.Note())
	case stop.Kind == execution.StackDepth:
		run.Exit, run.Stop = 2, execution.Stop{}
		log.Note(last, stop.Note())
	case stop.Kind == execution.LoadTime:
		run.Exit = 2
		log.Note(last, stop.Note())
	case trapOf(ended) != "":
		log.Note(last, trapOf(ended))
	}
	run.Events = log.Events()
	return run, nil
}

// Record implements step.Recorder.
func (r runner) Record(_ context.Context, binary string) (*execution.Recording, error) {
	ended, err := r.run(binary, false, []any{"prog"}, runTime, true)
	if err != nil {
		return nil, err
	}
	recording := &execution.Recording{
		Pieces: slices.Collect(execution.Pieces(goBytes(ended.Get("recording")), true)),
		Exit:   ended.Get("exit").Int(), Stop: stopOf(ended, runTime),
	}
	if trap := trapOf(ended); trap != "" {
		recording.Pieces = append(recording.Pieces, execution.Piece{Kind: execution.Stderr, Text: []byte(trap)})
	}
	return recording, nil
}

// run runs a program in the sandbox frame; again is true for the program that ran there last.
func (runner) run(binary string, again bool, argv []any, time time.Duration, ownClock bool) (js.Value, error) {
	bounds := map[string]any{
		"time": time.Milliseconds(), "loading": loadTime.Milliseconds(), "output": execution.MaxOutput,
		"report": execution.MaxReport, "memory": execution.MaxMemory, "disk": execution.MaxDisk,
	}
	return await("run", binary, again, argv, bounds, ownClock)
}

// trapOf returns what ended a program that neither exited nor was stopped.
func trapOf(ended js.Value) string {
	if trap := ended.Get("trap").String(); trap != "" {
		return "the program was stopped: " + trap + "\n"
	}
	return ""
}

var printedTooMuch = execution.Stop{Kind: execution.Output, Bytes: execution.MaxOutput}

// stopOf returns the limit that ended a program in the sandbox frame, which had so much time.
func stopOf(ended js.Value, time time.Duration) execution.Stop {
	return map[string]execution.Stop{
		"time":    {Kind: execution.RunTime, Time: time},
		"output":  printedTooMuch,
		"deep":    {Kind: execution.StackDepth},
		"loading": {Kind: execution.LoadTime, Time: loadTime},
	}[ended.Get("stop").String()]
}
