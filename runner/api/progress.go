package api

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
)

// A progress is the work on a task on this machine. It is what the process of package analysis has to build and run
// with. It counts each build and each run in the metrics, reports the end of the request's time as a limit that the
// build or the run reached, and records whether the result is transient.
type progress struct {
	*Server
	on         toolchain
	tests      *build.Isolated // builds tests
	testRunner verdict.Runner  // runs tests
	task       *queue.Task
	timer      *requestTimer

	transient    atomic.Bool // whether a build or a run reached a limit that it might not reach next time
	vetTransient atomic.Bool // the same for vet, which runs at the same time as the program
}

var _ analysis.Means = (*progress)(nil)

// newProgress returns the work on a task with tests as WebAssembly: tests of a client's program, and tests of solutions
// with goroutines. They have the time limit of a check, because they are measured as a check is.
func newProgress(s *Server, on toolchain, task *queue.Task, timer *requestTimer) *progress {
	return &progress{Server: s, on: on, tests: on.isolated, testRunner: sandbox.Wasm{Limits: s.settings.Check},
		task: task, timer: timer}
}

func (p *progress) Tell(e queue.Event) { p.task.Tell(e) }

// Build builds a program. On a new machine the program may need packages of the standard library that are not compiled
// yet. If the build then exceeds its time limit, Build waits until all of them are compiled and builds the program
// again.
func (p *progress) Build(ctx context.Context, src execution.Source) (*execution.Build, error) {
	for {
		complete := p.warming.over()
		built, err := p.build(ctx, p.on.isolated.Build, src)
		if err != nil || complete || built.Stop.Kind != execution.BuildTime {
			return built, err
		}
		built.Close()
		if err := await(ctx, p.warming.ended); err != nil {
			return nil, err
		}
	}
}

func (p *progress) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return p.build(ctx, p.on.isolated.Report, src)
}

func (p *progress) HasHarness(src execution.Source) bool { return p.on.isolated.HasHarness(src) }

func (p *progress) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return p.build(ctx, p.tests.BuildTest, src)
}

// build counts a build by with. If the request's time ends it, build returns a build that reached its limit in place of
// the error.
func (p *progress) build(
	ctx context.Context, with func(context.Context, execution.Source) (*execution.Build, error), src execution.Source,
) (*execution.Build, error) {
	start := time.Now()
	built, err := with(ctx, p.prioritized(src))
	if late, ok := timedOut(err); ok {
		built, err = &execution.Build{Stop: execution.Stop{Kind: execution.BuildTime, Time: late.Time},
			Go: p.on.release.Version, GOOS: "wasip1", GOARCH: "wasm", Close: func() error { return nil }}, nil
	}
	if err != nil {
		p.metrics.Build(start, false, execution.Stop{}, err)
		return nil, err
	}
	p.metrics.Build(start, built.OK, built.Stop, nil)
	p.note(built.Stop)
	return built, nil
}

// note records whether the stop of a build or of a run makes the result transient.
func (p *progress) note(stop execution.Stop) {
	if stop.Kind.Transient() {
		p.transient.Store(true)
	}
}

// prioritized returns src with the priority of its build, which is low while the task is in the background.
func (p *progress) prioritized(src execution.Source) execution.Source {
	if p.task.InBackground() {
		src.Nice = backgroundNice
	}
	return src
}

// Vet runs go vet over a program and returns its findings.
func (p *progress) Vet(ctx context.Context, plan programs.Plan) (problems string, err error) {
	start := time.Now()
	vet, err := p.on.isolated.Vet(ctx, p.prioritized(plan.Source()))
	if late, ok := timedOut(err); ok {
		vet, err = execution.ToolResult{Stop: execution.Stop{Kind: execution.BuildTime, Time: late.Time}}, nil
	}
	p.metrics.Build(start, vet.OK, vet.Stop, err)
	switch {
	case err != nil:
		return "", err
	case vet.Stop.Kind != execution.NotStopped:
		p.vetTransient.Store(vet.Stop.Kind.Transient())
		return "go vet " + vet.Stop.String() + "\n", nil
	case !vet.OK:
		return findings(programs.WithoutBanners(vet.Output), plan.Files), nil
	}
	return "", nil
}

// findings prefixes vet's findings as the compiler prefixes its errors: "./prog.go:5:2: …". Clients of the playground
// parse that form.
func findings(output string, files map[string][]byte) string {
	var text strings.Builder
	for line := range strings.Lines(output) {
		line = strings.TrimPrefix(line, "vet: ")
		// A line about any other file is a message from the runner, not a finding.
		if name, _, ok := strings.Cut(line, ".go:"); ok && files[name+".go"] != nil && !strings.Contains(name, "/") {
			line = "./" + line
		}
		text.WriteString(line)
	}
	return text.String()
}

func (p *progress) RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error) {
	start := time.Now()
	run, err := p.runProgram(ctx, binary, args)
	if late, ok := timedOut(err); ok {
		note := execution.Event{Message: late.Note(), Kind: execution.Stderr} // the program's output is lost
		run, err = &execution.Result{Events: []execution.Event{note}, Exit: 1, Stop: late}, nil
	}
	p.metrics.Program(start, run, err)
	if err == nil {
		p.note(run.Stop)
	}
	return run, err
}

// runProgram runs a program as sandbox.Wasm.RunProgram does: it interprets the program first, and compiles it only if
// that takes long. The compiled run is in the background of the queue. If there is no room there, the task is queued
// again. A task that is in the background, or was queued again, begins with compiled code.
func (p *progress) runProgram(ctx context.Context, binary string, args []string) (*execution.Result, error) {
	w := p.sandbox()
	if !p.task.InBackground() && !p.task.TakesLong {
		if result, again, err := w.RunInterpreted(ctx, binary, args...); err != nil || !again {
			return result, err
		}
		p.task.TakesLong = true
	}
	if err := p.task.Background(); err != nil {
		return nil, err
	}
	return runInProcess(ctx, p.timer, w, binary, args, p.builds.Crowded)
}

func (p *progress) sandbox() sandbox.Wasm {
	return sandbox.Wasm{Limits: p.settings.Program, Zones: p.on.zones}
}

func (p *progress) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	start := time.Now()
	recording, err := p.sandbox().Record(ctx, binary)
	if err != nil {
		p.metrics.Program(start, nil, err)
		return nil, err
	}
	p.metrics.Program(start, &execution.Result{Exit: recording.Exit, Stop: recording.Stop}, nil)
	p.note(recording.Stop)
	return recording, nil
}

func (p *progress) Load(ctx context.Context, binary string) (execution.TestProgram, error) {
	loaded, err := p.testRunner.Load(ctx, binary)
	return testProgram{loaded, p}, err
}

// A testProgram is a test program whose runs are counted.
type testProgram struct {
	execution.TestProgram
	progress *progress
}

func (t testProgram) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	start := time.Now()
	run, err := t.TestProgram.Run(ctx, part)
	if late, ok := timedOut(err); ok {
		run, err = &execution.TestRun{Exit: -1, Stop: late}, nil
	}
	t.progress.metrics.Tests(start, run, err)
	if err == nil {
		t.progress.note(run.Stop)
	}
	return run, err
}
