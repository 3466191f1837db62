package api

import (
	"context"
	"strings"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
)

// A builder builds and vets programs and tests for a task. It counts each build in the metrics, reports the end of the
// request's time as a limit that the build reached, and records whether the result is transient.
type builder struct {
	*progress
	tests *build.Isolated // builds tests
}

var (
	_ programs.Builder = builder{}
	_ programs.Vetter  = builder{}
	_ verdict.Builder  = builder{}
)

// Build builds a program. On a new machine the program may need packages of the standard library that are not compiled
// yet. If the build then exceeds its time limit, Build waits until all of them are compiled and builds the program
// again.
func (b builder) Build(ctx context.Context, src execution.Source) (*execution.Build, error) {
	for {
		complete := b.warming.over()
		start := time.Now()
		built, err := b.on.isolated.Build(ctx, b.prioritized(src))
		built, err = b.built(start, built, err)
		if err != nil || complete || built.Stop.Kind != execution.BuildTime {
			return built, err
		}
		built.Close()
		if err := await(ctx, b.warming.ended); err != nil {
			return nil, err
		}
	}
}

// Report compiles a program and returns the compiler's escape report.
func (b builder) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	start := time.Now()
	built, err := b.on.isolated.Report(ctx, b.prioritized(src))
	return b.built(start, built, err)
}

// prioritized returns src with the priority of its build, which is low while the task is in the background.
func (b builder) prioritized(src execution.Source) execution.Source {
	if b.task.InBackground() {
		src.Nice = backgroundNice
	}
	return src
}

// HasHarness reports whether the packages of the harness are compiled for a program.
func (b builder) HasHarness(src execution.Source) bool { return b.on.isolated.HasHarness(src) }

// BuildTest builds the tests of a solution.
func (b builder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	start := time.Now()
	built, err := b.tests.BuildTest(ctx, b.prioritized(src))
	return b.built(start, built, err)
}

// Vet runs go vet over a program and returns its findings.
func (b builder) Vet(ctx context.Context, plan programs.Plan) (problems string, err error) {
	start := time.Now()
	vet, err := b.on.isolated.Vet(ctx, b.prioritized(plan.Source()))
	if late, ok := timedOut(err); ok {
		vet, err = execution.ToolResult{Stop: late.buildStop()}, nil
	}
	b.metrics.Build(start, vet.OK, vet.Stop, err)
	switch {
	case err != nil:
		return "", err
	case vet.Stop.Kind != execution.NotStopped:
		b.vetTransient.Store(vet.Stop.Kind.Transient())
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

// built counts a build. If the request's time ended it, built returns a build that reached its limit in place of the
// error.
func (b builder) built(start time.Time, built *execution.Build, err error) (*execution.Build, error) {
	if late, ok := timedOut(err); ok {
		built, err = late.build(b.on.release.Version), nil
	}
	if err != nil {
		b.metrics.Build(start, false, execution.Stop{}, err)
		return nil, err
	}
	b.metrics.Build(start, built.OK, built.Stop, nil)
	if built.Stop.Kind.Transient() {
		b.transient.Store(true)
	}
	return built, nil
}
