package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
	"onthestack/runner/analysis"
	"onthestack/runner/jobs"
)

// An attempt builds, vets and runs what one job asks for, with the server's toolchain and sandbox. It counts each build
// and run in the metrics, reports the end of the job's time as a limit that the program reached, and records whether
// the result is transient. It implements the interfaces through which packages playground and verdict build and run.
type attempt struct {
	s *Server
	toolchain
	transient    atomic.Bool // whether a build or a run reached a limit that it might not reach next time
	vetTransient atomic.Bool // the same for vet, which runs at the same time as the program
	slot         *jobs.Slot  // of the job
}

var (
	_ programs.Builder = (*attempt)(nil)
	_ programs.Runner  = (*attempt)(nil)
	_ programs.Vetter  = (*attempt)(nil)
	_ step.Recorder    = (*attempt)(nil)
	_ verdict.Builder  = (*attempt)(nil)
	_ verdict.Runner   = (*attempt)(nil)
)

// newAttempt returns an attempt that builds with the server's own release of Go, for the job that has the slot.
func (s *Server) newAttempt(slot *jobs.Slot) *attempt {
	return &attempt{s: s, toolchain: s.toolchain, slot: slot}
}

// answer has a process answer a question, which builds, vets and runs through the attempt.
func (a *attempt) answer(ctx context.Context, q analysis.Question) (jobs.Result, error) {
	q.Language, q.Output = a.release.language, a.s.settings.Program.Output
	m := analysis.Means{Builder: a, Runner: a, Vetter: a, Recorder: a, Loader: sandboxed{a}, Tell: a.slot.Tell}
	if q.Kind == analysis.Check {
		// A server has no race detector; see verdict.Checker.Serial.
		if q.Exercise.Goroutines {
			m.Tests, q.Engine = sandboxed{a}, sandboxed{a}.Engine()
		} else {
			m.Tests, m.Loader, q.Engine = a, a, a.Engine()
		}
	}
	limits := analysis.DefaultLimits()
	if a.slot.InBackground() {
		limits.Nice = backgroundNice
	}
	late := func(cause error) bool {
		_, ok := timedOut(cause)
		return ok
	}
	found, err := analysis.Ask(ctx, limits, q, m, late)
	var failed *analysis.Failure
	if errors.As(err, &failed) {
		a.s.log.Warn("the process of a request ended without an answer", "path", q.Kind, "error", failed,
			"printed", failed.Log)
		return jobs.Result{Value: q.Refused(failed.Error()), Transient: failed.Stop.Kind.Transient()}, nil
	}
	if err != nil {
		return jobs.Result{}, fmt.Errorf("answer %s: %w", q.Kind, err)
	}
	// A stopped vet makes an answer transient only if the answer contains its findings.
	return jobs.Result{Value: found.Body, Transient: a.transient.Load() || found.Vetted && a.vetTransient.Load()}, nil
}

// Build builds a program. On a new machine the program may need packages of the standard library that are not compiled
// yet. If the build then exceeds its time limit, Build waits until all of them are compiled and builds the program
// again.
func (a *attempt) Build(ctx context.Context, src execution.Source) (*execution.Build, error) {
	for {
		complete := a.s.warming.over()
		start := time.Now()
		b, err := a.tools.Build(ctx, a.prioritized(src))
		b, err = a.built(start, b, err)
		if err != nil || complete || b.Stop.Kind != execution.BuildTime {
			return b, err
		}
		b.Close()
		if err := a.s.warming.end(ctx); err != nil {
			return nil, err
		}
	}
}

// Report compiles a program and returns the compiler's escape report.
func (a *attempt) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	start := time.Now()
	b, err := a.tools.Report(ctx, a.prioritized(src))
	return a.built(start, b, err)
}

// prioritized returns src with the priority of its build, which is low while the job is in the background.
func (a *attempt) prioritized(src execution.Source) execution.Source {
	if a.slot.InBackground() {
		src.Nice = backgroundNice
	}
	return src
}

// HasHarness reports whether the packages of the harness are compiled for a program.
func (a *attempt) HasHarness(src execution.Source) bool { return a.tools.HasHarness(src) }

// BuildTest builds the tests of a solution.
func (a *attempt) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	start := time.Now()
	b, err := a.s.checks.tools.BuildTest(ctx, a.prioritized(src))
	return a.built(start, b, err)
}

// Vet runs go vet over a program and returns its findings.
func (a *attempt) Vet(ctx context.Context, plan programs.Plan) (problems string, err error) {
	start := time.Now()
	vet, err := a.tools.Vet(ctx, a.prioritized(plan.Source()))
	if late, ok := timedOut(err); ok {
		vet, err = execution.ToolResult{Stop: late.buildStop()}, nil
	}
	a.s.metrics.Build(start, vet.OK, vet.Stop, err)
	switch {
	case err != nil:
		return "", err
	case vet.Stop.Kind != execution.NotStopped:
		a.vetTransient.Store(vet.Stop.Kind.Transient())
		return "go vet " + vet.Stop.String() + "\n", nil
	case !vet.OK:
		return findings(programs.WithoutBanners(vet.Output), plan.Files), nil
	}
	return "", nil
}

// findings prefixes vet's findings as the compiler prefixes its errors: "./prog.go:5:2: …". Clients of the playground
// parse that form.
func findings(output string, files map[string][]byte) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		line = strings.TrimPrefix(line, "vet: ")
		// A line about any other file is a message from the runner, not a finding.
		if name, _, ok := strings.Cut(line, ".go:"); ok && files[name+".go"] != nil && !strings.Contains(name, "/") {
			line = "./" + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// built counts a build. If the job's time ended it, built returns a build that reached its limit in place of the error.
func (a *attempt) built(start time.Time, b *execution.Build, err error) (*execution.Build, error) {
	if late, ok := timedOut(err); ok {
		b, err = late.build(a.release.Version), nil
	}
	if err != nil {
		a.s.metrics.Build(start, false, execution.Stop{}, err)
		return nil, err
	}
	a.s.metrics.Build(start, b.OK, b.Stop, nil)
	if b.Stop.Kind.Transient() {
		a.transient.Store(true)
	}
	return b, nil
}

// RunProgram runs a program in the sandbox.
func (a *attempt) RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error) {
	start := time.Now()
	run, err := a.runProgram(ctx, binary, args)
	if late, ok := timedOut(err); ok {
		run, err = late.program(), nil
	}
	a.s.metrics.Program(start, run, err)
	if err == nil && run.Stop.Kind.Transient() {
		a.transient.Store(true)
	}
	return run, err
}

// runProgram runs a program as sandbox.Wasm.RunProgram does: it interprets the program first, and compiles it only if
// that takes long. The compiled run is in the background of the queue. If there is no room there, the job is queued
// again. A job that is in the background, or was queued again, begins with compiled code.
func (a *attempt) runProgram(ctx context.Context, binary string, args []string) (*execution.Result, error) {
	w := sandbox.Wasm{Limits: a.s.settings.Program, Zones: a.zones}
	if !a.slot.InBackground() && !a.slot.TakesLong {
		if result, again, err := w.RunInterpreted(ctx, binary, args...); err != nil || !again {
			return result, err
		}
		a.slot.TakesLong = true
	}
	if err := a.slot.Background(); err != nil {
		return nil, err
	}
	return runInProcess(ctx, a.slot.Timer, w, binary, args, a.s.builds.Queue.Crowded)
}

// Record runs a program that records its steps, in the sandbox.
func (a *attempt) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	start := time.Now()
	recording, err := sandbox.Wasm{Limits: a.s.settings.Program, Zones: a.zones}.Record(ctx, binary)
	if err != nil {
		a.s.metrics.Program(start, nil, err)
		return nil, err
	}
	a.s.metrics.Program(start, &execution.Result{Exit: recording.Exit, Stop: recording.Stop}, nil)
	if recording.Stop.Kind.Transient() {
		a.transient.Store(true)
	}
	return recording, nil
}

// Load loads the test program of a check.
func (a *attempt) Load(ctx context.Context, binary string) (execution.TestProgram, error) {
	p, err := a.s.checks.runner(a.s.settings.Check).Load(ctx, binary)
	return testProgram{p, a}, err
}

// Engine returns the name of the engine that runs checks.
func (a *attempt) Engine() string { return a.s.checks.runner(a.s.settings.Check).Engine() }

// sandboxed builds and runs tests as WebAssembly, whichever engine runs checks: those of a client's program, and of
// solutions with goroutines. They have the time limit of a check, because they are measured as a check is.
type sandboxed struct{ *attempt }

// BuildTest implements verdict.Builder.
func (a sandboxed) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	start := time.Now()
	b, err := a.tools.BuildTest(ctx, a.prioritized(src))
	return a.built(start, b, err)
}

// Engine implements verdict.Runner.
func (sandboxed) Engine() string { return sandbox.Wasm{}.Engine() }

// Load implements programs.Loader.
func (a sandboxed) Load(ctx context.Context, binary string) (execution.TestProgram, error) {
	p, err := sandbox.Wasm{Limits: a.s.settings.Check}.Load(ctx, binary)
	return testProgram{p, a.attempt}, err
}

// A testProgram is the test program of a check, or of a program with benchmarks.
type testProgram struct {
	execution.TestProgram
	attempt *attempt
}

// Run runs the tests or the benchmarks of the program.
func (p testProgram) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	a, start := p.attempt, time.Now()
	run, err := p.TestProgram.Run(ctx, part)
	if late, ok := timedOut(err); ok {
		run, err = late.tests(), nil
	}
	a.s.metrics.Tests(start, run, err)
	if err == nil && run.Stop.Kind.Transient() {
		a.transient.Store(true)
	}
	return run, err
}
