package main

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"onthestack/internal/playground"
	"onthestack/internal/sandbox"
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
	var passing, vetPassing atomic.Bool
	play := s.playground(&passing)
	play.Vetter = vetter{countedBuilder{s, &vetPassing}}
	response, err := play.Compile(ctx, req.Body, req.WithVet)
	if err != nil {
		return result{}, err
	}
	// An answer may be without the output of vet.
	return result{answer: response, passing: passing.Load() || vetPassing.Load() && response.VetErrors != ""}, nil
}

// playground answers for programs; passing is set where an answer may be another one another time.
func (s *server) playground(passing *atomic.Bool) playground.Playground {
	return playground.Playground{
		Builder:  countedBuilder{s, passing},
		Runner:   programRunner{s, passing},
		GOOS:     "wasip1",
		Language: s.release.language,
		Output:   s.settings.Program.Output,
	}
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
	if late, ok := timedOut(err); ok {
		ran, err = late.program(), nil
	}
	if r.server.metrics.Program(start, ran, err).Passing() {
		r.passing.Store(true)
	}
	return ran, err
}
