// Package step shows what a program does to its stack and its heap: it runs a program statement by statement and makes
// a Document of the steps.
//
// The program is built three times. The compiler's escape report on the program as it is written decides where each
// variable lives (placement.go). A run of the unchanged program under the harness counts what each line allocates
// (measure.go). The values come from a run of a rewritten program (rewrite.go, and initialize.go for what runs before
// main), in which package recorder reports the variables after each statement. Rewriting may move variables to the
// heap, so the rewritten program says nothing about placement. The three are joined in join.go: where they do not fit
// together with certainty, the Document says "not known".
//
// A program may send anything on the recorder's channel. Package step validates each message (decode.go), and bounds
// what it keeps.
//
// The package builds and runs nothing itself: its caller provides the playground and a Recorder. It does not depend on
// HTTP or on terminals, and builds for js/wasm.
package step

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/playground"
)

// A Recorder runs a built program with a channel on which the program reports.
type Recorder interface {
	Record(ctx context.Context, binary string) (*execution.Recording, error)
}

// A Stepper makes the steps of programs.
type Stepper struct {
	Play     playground.Playground // its Runner and Vetter are not used
	Recorder Recorder
	// Concurrent says that Play and Recorder can do two things at the same time. The steps are then recorded while the
	// unchanged program is compiled for its report and measured, which takes about as long.
	Concurrent bool

	fromMain bool // leaves out the initialization of the package, in which tests use libraries for the first time
}

// maxOutput bounds the output in a Document, in bytes.
const maxOutput = 64 << 10

// Steps builds and runs a program, which is in the form that package playground describes. A mistake in the program is
// in the Document and not an error.
func (s Stepper) Steps(ctx context.Context, body string) (*Document, error) {
	plan, problem := s.Play.Plan(body)
	if problem == "" && plan.Test {
		problem = "there is no main function: only a program with one can be stepped through\n"
	}
	if problem != "" {
		return failed(problem), nil
	}
	p, parsed := parse(plan.Files, plan.ModulePath())
	if s.fromMain && parsed == nil {
		p.skipInitialization()
	}
	record := sync.OnceValue(func() recorded { return s.record(ctx, plan, p) })
	if s.Concurrent && parsed == nil {
		var other sync.WaitGroup
		defer other.Wait()
		other.Go(func() { record() })
	}
	report, err := s.Play.Escape(ctx, body)
	switch {
	case err != nil:
		return nil, err
	case report.Errors != "":
		return failed(report.Errors), nil
	case parsed != nil:
		return failed(parsed.Error() + "\n"), nil
	}
	measured, err := s.measure(ctx, plan, p, report.Escapes)
	if err != nil {
		return nil, err
	}
	r := record()
	switch {
	case r.err != nil:
		return nil, r.err
	case r.recording == nil:
		return failed("the program could not be built with the code that records its steps:\n" + r.built), nil
	}
	return join(p, report.Escapes, measured, r.recording)
}

// A recorded is the result of running the rewritten program.
type recorded struct {
	recording *execution.Recording // nil if the program did not build
	built     string               // the messages of that build
	err       error
}

// record builds and runs the rewritten program.
func (s Stepper) record(ctx context.Context, plan playground.Plan, p *program) recorded {
	src, base, err := s.Play.WithHarness(playground.Source(plan), harness.ProgramPackages)
	if err != nil {
		return recorded{err: err}
	}
	maps.Copy(src.Files, p.rewrite(base))
	built, err := s.Play.Builder.Build(ctx, playground.WithStackLimit(src))
	if err != nil {
		return recorded{err: fmt.Errorf("build the program to record its steps: %w", err)}
	}
	defer built.Close()
	if !built.OK {
		return recorded{built: string(built.Output) + built.Stop.String()}
	}
	r, err := s.Recorder.Record(ctx, built.Binary)
	if err != nil {
		return recorded{err: fmt.Errorf("record the program's steps: %w", err)}
	}
	return recorded{recording: r}
}
