package main

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"onthestack/internal/direct"
	"onthestack/internal/playground"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

func (s *server) compile(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) { return s.runProgram(ctx, req) }}, nil
}

// runProgram builds the program and runs it, and meanwhile vets it when asked to. A mistake in the program is in the answer, a
// *playground.Response.
func (s *server) runProgram(ctx context.Context, req programRequest) (result, error) {
	var passing atomic.Bool
	v := &vetter{tools: s.tools}
	play := s.playground(&passing)
	play.Vetter = v
	response, err := play.Compile(ctx, req.Body, req.WithVet)
	if err != nil {
		return result{}, err
	}
	return result{answer: response, passing: passing.Load() || v.stopped && response.VetErrors != ""}, nil
}

// playground answers for programs; passing is set where an answer may be another one another time.
func (s *server) playground(passing *atomic.Bool) playground.Playground {
	return playground.Playground{
		Builder:  programBuilder{s, passing},
		Runner:   programRunner{s, passing},
		GOOS:     "wasip1",
		Language: s.release.language,
	}
}

// A programBuilder builds programs with the server's toolchain.
type programBuilder struct {
	server  *server
	passing *atomic.Bool
}

// Build implements playground.Builder, and counts. On a new machine a program may need more of the standard library than is
// compiled by then; where the time ends over that it is built again when all of it is.
func (b programBuilder) Build(ctx context.Context, p direct.Program) (*verdict.Build, error) {
	for {
		complete := b.server.warming.over()
		start := time.Now()
		built, err := b.server.tools.Build(ctx, p)
		b.server.metrics.Build(start, built, err)
		if err != nil || complete || !strings.HasPrefix(built.Stopped, direct.TookTooLong) {
			return b.noted(built, err)
		}
		built.Close()
		if err := b.server.warming.end(ctx); err != nil {
			return nil, err
		}
	}
}

// Report implements playground.Builder.
func (b programBuilder) Report(ctx context.Context, p direct.Program) (*verdict.Build, error) {
	return b.noted(b.server.tools.Report(ctx, p))
}

// noted notes where a limit ended a build.
func (b programBuilder) noted(built *verdict.Build, err error) (*verdict.Build, error) {
	if err == nil && built.Stopped != "" {
		b.passing.Store(true)
	}
	return built, err
}

// A programRunner runs programs in the sandbox.
type programRunner struct {
	server  *server
	passing *atomic.Bool
}

// RunProgram implements playground.Runner, and counts.
func (r programRunner) RunProgram(ctx context.Context, binary string, args ...string) (*playground.Run, error) {
	start := time.Now()
	ran, err := sandbox.Wasm{Limits: r.server.settings.Program, Zones: r.server.zones}.RunProgram(ctx, binary, args...)
	if r.server.metrics.Program(start, ran, err).Passing() {
		r.passing.Store(true)
	}
	return ran, err
}
