package playground

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"onthestack/internal/program"
)

// A Response is how a program ended, in the playground's shape.
type Response struct {
	Errors      string // of the build, or that the program printed too much
	Events      []Event
	Status      int // the program's exit code
	IsTest      bool
	TestsFailed int
	VetErrors   string `json:",omitempty"`
	VetOK       bool   `json:",omitempty"`
}

// OutputTooLarge is the playground's text; its clients know it.
const OutputTooLarge = "Output too large"

// failedTest is what package testing prints for each test and example that failed.
const failedTest = "--- FAIL"

// Compile builds the program and runs it, and meanwhile vets it when asked to. A mistake in the program is in the Response.
func (p Playground) Compile(ctx context.Context, body string, vet bool) (*Response, error) {
	plan, problem := p.Plan(body)
	if problem != "" {
		return &Response{Errors: problem}, nil
	}
	built, err := p.Builder.Build(ctx, WithStackLimit(Source(plan)))
	if err != nil {
		return nil, fmt.Errorf("build a program: %w", err)
	}
	defer built.Close()
	if !built.OK {
		return &Response{Errors: buildErrors(built, plan)}, nil
	}
	var v vetting
	if vet = vet && p.Vetter != nil; vet {
		v.start(ctx, p.Vetter, plan)
	}
	ran, err := p.Runner.RunProgram(ctx, built.Binary, plan.Args()...)
	v.done.Wait()
	switch {
	case err != nil:
		return nil, fmt.Errorf("run a program: %w", err)
	case v.err != nil:
		return nil, fmt.Errorf("vet a program: %w", v.err)
	case ran.Stop == TooMuchOutput:
		// As the playground, without what was printed up to there.
		return &Response{Errors: OutputTooLarge}, nil
	}
	response := &Response{
		Events: ran.Events, Status: ran.Exit, IsTest: plan.Test,
		VetErrors: v.problems, VetOK: vet && v.problems == "",
	}
	if plan.Test {
		for _, event := range ran.Events {
			response.TestsFailed += strings.Count(event.Message, failedTest)
		}
	}
	return response, nil
}

// A vetting is one under way.
type vetting struct {
	done     sync.WaitGroup
	problems string // "" for none
	err      error
}

func (v *vetting) start(ctx context.Context, vetter Vetter, plan program.Plan) {
	v.done.Go(func() { v.problems, v.err = vetter.Vet(ctx, plan) })
}
