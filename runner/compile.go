package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"onthestack/internal/program"
	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
	"onthestack/runner/metrics"
)

// A programResponse is the answer of /compile and /vet, in the playground's shape.
type programResponse struct {
	Errors      string // of the build, or that the program printed too much
	Events      []sandbox.Event
	Status      int // the program's exit code
	IsTest      bool
	TestsFailed int
	VetErrors   string `json:",omitempty"`
	VetOK       bool   `json:",omitempty"`
}

// What the playground says in these cases; its clients know the texts.
const (
	errBuildTime   = "timeout running go build"
	errOutputLarge = "Output too large"
)

// failedTest is what package testing prints for each test and example that failed.
const failedTest = "--- FAIL"

func (s *server) compile(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) { return s.runProgram(ctx, req) }}, nil
}

// runProgram builds the program and runs it, and meanwhile vets it when asked to. A mistake in the program is in the answer, a
// *programResponse.
func (s *server) runProgram(ctx context.Context, req programRequest) (result, error) {
	plan, problem := s.plan(req.Body)
	if problem != "" {
		return result{answer: &programResponse{Errors: problem}}, nil
	}
	built, err := s.build(ctx, plan)
	if err != nil {
		return result{}, err
	}
	defer built.Close()
	if !built.OK {
		return result{answer: &programResponse{Errors: buildErrors(built, plan)}, passing: built.Stopped != ""}, nil
	}
	var vet vetting
	if req.WithVet {
		vet.start(ctx, s, plan)
	}
	ran, outcome, err := s.execute(ctx, built.Binary, plan)
	vet.done.Wait()
	switch {
	case err != nil:
		return result{}, err
	case vet.err != nil:
		return result{}, vet.err
	case ran.Stop == sandbox.TooMuchOutput:
		// As the playground, without what was printed up to there.
		return result{answer: &programResponse{Errors: errOutputLarge}}, nil
	}
	response := &programResponse{
		Events: ran.Events, Status: ran.Exit, IsTest: plan.Test,
		VetErrors: vet.problems, VetOK: req.WithVet && vet.problems == "",
	}
	if plan.Test {
		for _, event := range ran.Events {
			response.TestsFailed += strings.Count(event.Message, failedTest)
		}
	}
	return result{answer: response, passing: outcome.Passing() || vet.stopped}, nil
}

// plan reads a program. A problem, for the sender, is why it cannot be built.
func (s *server) plan(body string) (plan program.Plan, problem string) {
	files, err := program.Split([]byte(body))
	if err != nil {
		return plan, err.Error()
	}
	return files.Plan(s.release.language)
}

// build builds a plan. On a new machine a program may need more of the standard library than is compiled by then; where the time
// ends over that it is built again when all of it is.
func (s *server) build(ctx context.Context, plan program.Plan) (*verdict.Build, error) {
	p := source(plan)
	p.Files = withStackLimit(p.Files)
	for {
		complete := s.warming.over()
		start := time.Now()
		built, err := s.tools.Build(ctx, p)
		s.metrics.Build(start, built, err)
		switch {
		case err != nil:
			return nil, fmt.Errorf("build a program: %w", err)
		case complete || !strings.HasPrefix(built.Stopped, toolchain.TookTooLong):
			return built, nil
		}
		built.Close()
		if err := s.warming.end(ctx); err != nil {
			return nil, err
		}
	}
}

// execute runs a built program or, for tests, all of them, and tells how that ended.
func (s *server) execute(ctx context.Context, binary string, plan program.Plan) (*sandbox.ProgramRun, metrics.Outcome, error) {
	start := time.Now()
	ran, err := sandbox.Wasm{Limits: s.settings.Program, Zones: s.zones}.RunProgram(ctx, binary, plan.Args()...)
	outcome := s.metrics.Program(start, ran, err)
	if err != nil {
		return nil, outcome, fmt.Errorf("run a program: %w", err)
	}
	return ran, outcome, nil
}

// source is what the toolchain builds of a plan.
func source(plan program.Plan) toolchain.Program {
	return toolchain.Program{Files: plan.Files, Test: plan.Test, Experiments: plan.Experiments}
}

// A program's goroutines may have stacks up to 4 MiB, some 50,000 calls deep. With the runtime's own limit, 1 GB, endless
// recursion would take all of the run's time, and the answer would not be Go's "stack overflow": filling 8 MiB takes 0.7 s, and
// walking them for the trace takes 1.8 s.
const stackLimit = `package main

import _ "unsafe" // for go:linkname; importing runtime/debug would make a small program twice as large

//go:linkname runner_setMaxStack runtime/debug.setMaxStack
func runner_setMaxStack(int) int

var _ = runner_setMaxStack(4 << 20)
`

// withStackLimit adds a file that sets that limit. It is the first: its variable is made before the program's, which may recurse,
// and what the compiler says of a whole package it says of the last.
func withStackLimit(files map[string][]byte) map[string][]byte {
	files = maps.Clone(files)
	name := stackFile
	for files[name] != nil {
		name = "0" + name
	}
	files[name] = []byte(stackLimit)
	return files
}

const stackFile = "0stack.go"

// buildErrors is what a failed build of a plan printed, as the playground shows it.
func buildErrors(b *verdict.Build, plan program.Plan) string {
	output := fromHere(withoutBanners(b.Output), plan)
	switch {
	case strings.HasPrefix(b.Stopped, toolchain.TookTooLong):
		return errBuildTime + "\n" + output
	case b.Stopped != "":
		return "go build " + b.Stopped + "\n" + output
	case output == "":
		return "go build failed without saying why\n"
	}
	return output
}

// withoutBanners removes the lines that name the package: "# play".
func withoutBanners(output []byte) string {
	var kept bytes.Buffer
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("# ")) {
			kept.Write(line)
		}
	}
	return strings.ToValidUTF8(kept.String(), "\uFFFD")
}

// fromHere names files from the program's folder, "./prog.go:3:5: …", also where the compiler names them by the module's path: it
// does so of what it finds late, such as variables that are too large.
func fromHere(output string, plan program.Plan) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if rest, ok := strings.CutPrefix(line, plan.ModulePath()+"/"); ok {
			if name, _, _ := strings.Cut(rest, ":"); plan.Files[name] != nil {
				line = "./" + rest
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
