package programs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/execution"
)

// A Response is the result of a program, in the JSON format of play.golang.org.
type Response struct {
	Errors      string // errors of the build, or the error for too much output
	Events      []execution.Event
	Status      int // the program's exit code
	IsTest      bool
	TestsFailed int
	VetErrors   string `json:",omitempty"`
	VetOK       bool   `json:",omitempty"`
}

// A Formatted is the result of formatting a program, in the JSON format of play.golang.org.
type Formatted struct {
	Body  string
	Error string // where the program does not parse: "prog.go:3:1: …"
}

// OutputTooLarge begins the error for too much output. It is the text of the Go playground, which its clients
// recognize.
const OutputTooLarge = "Output too large"

// failedTest begins the line that package testing prints for each test or example that failed.
const failedTest = "--- FAIL"

// Compile builds and runs the program. If vet is true, it also runs the Vetter, concurrently with the program. A
// mistake in the program is in the Response.
func (p Playground) Compile(ctx context.Context, body string, vet bool) (*Response, error) {
	plan, problem := p.Plan(body)
	if problem != "" {
		return &Response{Errors: problem}, nil
	}
	built, err := p.Builder.Build(ctx, WithStackLimit(plan.Source()))
	if err != nil {
		return nil, fmt.Errorf("build a program: %w", err)
	}
	defer built.Close()
	if !built.OK {
		return &Response{Errors: plan.BuildErrors(built)}, nil
	}
	var vetted sync.WaitGroup
	var problems string
	var vetErr error
	if vet = vet && p.Vetter != nil; vet {
		vetted.Go(func() { problems, vetErr = p.Vetter.Vet(ctx, plan) })
	}
	ran, err := p.Runner.RunProgram(ctx, built.Binary, plan.Args()...)
	vetted.Wait()
	switch {
	case err != nil:
		return nil, fmt.Errorf("run a program: %w", err)
	case vetErr != nil:
		return nil, fmt.Errorf("vet a program: %w", vetErr)
	case ran.Stop.Kind == execution.Output:
		return &Response{Errors: p.tooLarge(), Events: beginning(ran.Events)}, nil
	}
	response := &Response{
		Events: append(ran.Events, ignored(plan)...), Status: ran.Exit, IsTest: plan.Test,
		VetErrors: problems, VetOK: vet && problems == "",
	}
	if plan.Test {
		for _, event := range ran.Events {
			response.TestsFailed += strings.Count(event.Message, failedTest)
		}
	}
	return response, nil
}

// ignored returns an event for each call that failed without the program noticing it: what it printed may be wrong.
func ignored(plan Plan) (events []execution.Event) {
	for _, call := range plan.Ignored {
		events = append(events, execution.Event{Message: call + "\n", Kind: execution.Stderr})
	}
	return events
}

// tooLarge returns the error for too much output, with the limit if it is known.
func (p Playground) tooLarge() string {
	if p.Output == 0 {
		return OutputTooLarge
	}
	return fmt.Sprintf("%s: the program printed more than %d KiB, of which at most the first %d are shown",
		OutputTooLarge, p.Output>>10, shownBytes>>10)
}

// The amount of output in the response to a program that printed too much.
const (
	shownBytes  = 16 << 10
	shownEvents = 500
)

// beginning returns the first events, up to shownBytes and shownEvents.
func beginning(events []execution.Event) []execution.Event {
	left := shownBytes
	for i := range events {
		message := events[i].Message
		if i == shownEvents {
			return events[:i]
		}
		if len(message) > left {
			short := append(slices.Clip(events[:i]), events[i])
			short[i].Message = strings.ToValidUTF8(message[:left], "")
			return short
		}
		left -= len(message)
	}
	return events
}

// BuildTimeout is a message of the Go playground that its clients recognize.
const BuildTimeout = "timeout running go build"

// BuildErrors returns the errors of a failed build of the plan, in the Go playground's format.
func (p Plan) BuildErrors(b *execution.Build) string {
	output := fromHere(WithoutBanners(b.Output), p)
	switch {
	case b.Stop.Kind == execution.BuildTime:
		return BuildTimeout + "\n" + output
	case b.Stop.Kind != execution.NotStopped:
		return "go build " + b.Stop.String() + "\n" + output
	case output == "":
		return "go build failed without a message\n"
	}
	return output
}

// WithoutBanners removes the lines that name the package: "# play".
func WithoutBanners(output []byte) string {
	var rest bytes.Buffer
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("# ")) {
			rest.Write(line)
		}
	}
	return strings.ToValidUTF8(rest.String(), "\uFFFD")
}

// fromHere makes file names relative to the program's folder: "./prog.go:3:5: …". The compiler reports late errors,
// such as variables that are too large, with the module's path in place of "./".
func fromHere(output string, plan Plan) string {
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
