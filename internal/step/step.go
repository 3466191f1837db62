// Package step shows what a program does to its stack and its heap: it runs a program statement by statement and makes
// a Document of the steps.
//
// The program is built three times. The values come from a run of a rewritten program (rewrite.go, rewritefunc.go and
// rewritestmt.go; initialize.go for what runs before main), in which package recorder reports the variables after each
// statement. Rewriting may move variables to the heap, so the rewritten program says nothing about placement: the
// compiler's escape report on the program as it is written decides where each variable lives (placement.go). A run of
// the unchanged program under the harness counts what each line allocates (measure.go). The three are joined in
// join.go: where they do not fit together with certainty, the Document says "not known".
//
// The first two make the picture, which a caller may show while the third is under way; see Stepper.Picture.
//
// A program may send anything on the recorder's channel. Package step validates each message (decode.go), and bounds
// what it keeps.
//
// The package builds and runs nothing itself: its caller provides a programs.Compiler and a Recorder. It does not
// depend on HTTP or on terminals, and builds for js/wasm.
package step

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/programs"
)

// A Recorder runs a built program with a channel on which the program reports.
type Recorder interface {
	Record(ctx context.Context, binary string) (*execution.Recording, error)
}

// A Stepper makes the steps of programs. Its Compiler builds two programs, and its Recorder runs two, at the same time.
type Stepper struct {
	Compiler programs.Compiler
	Recorder Recorder
	// Picture, unless nil, is called with the picture of a program that builds, before its allocations are counted. In
	// this Document, Pending is true. The Document that Steps returns has the counts too.
	Picture func(*Document)
}

// maxOutput bounds the output in a Document, in bytes.
const maxOutput = 64 << 10

// Steps builds and runs a program, which is in the form that package programs describes. A mistake in the program is
// in the Document and not an error.
func (s Stepper) Steps(ctx context.Context, body string) (*Document, error) {
	plan, problem := s.Compiler.Plan(body)
	if problem == "" && plan.Test {
		problem = "there is no main function: only a program with one can be stepped through\n"
	}
	if problem != "" {
		return Failed(problem), nil
	}
	files := maps.Clone(plan.Files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return slices.Contains(plan.Excluded, name) })
	p, parsed := parse(files, plan.ModulePath())
	var r *execution.Recording
	var messages string
	var failed error
	var recording, counting sync.WaitGroup
	defer recording.Wait()
	defer counting.Wait()
	if parsed == nil {
		recording.Go(func() { r, messages, failed = s.record(ctx, plan, p) })
	}
	escapes, problem, err := s.Compiler.Escape(ctx, body)
	switch {
	case err != nil:
		return nil, err
	case problem != "":
		return Failed(problem), nil
	case parsed != nil:
		return Failed(parsed.Error() + "\n"), nil
	}
	measure := sync.OnceValues(func() (*measurement, error) { return s.measure(ctx, plan, p, escapes) })
	if s.Picture == nil { // otherwise the picture would have to wait for a processor
		counting.Go(func() { measure() })
	}
	recording.Wait()
	switch {
	case failed != nil:
		return nil, failed
	case r == nil:
		return Failed("the program could not be built with the code that records its steps:\n" + messages), nil
	}
	if s.Picture != nil {
		s.Picture(join(p, escapes, pending, r))
	}
	measured, err := measure()
	if err != nil {
		return nil, err
	}
	return join(p, escapes, measured, r), nil
}

// setsFinalizers reports whether a program may set finalizers: whether a file of any of its packages imports package
// runtime, or the program requires modules, whose packages might.
func setsFinalizers(files map[string][]byte) bool {
	for name, text := range files {
		if path.Ext(name) == ".go" && bytes.Contains(text, []byte(`"runtime"`)) ||
			name == "go.mod" && bytes.Contains(text, []byte("require")) {
			return true
		}
	}
	return false
}

// record builds the rewritten program, runs it, and removes it. If it does not build, there are the messages of the
// build, and no recording.
func (s Stepper) record(ctx context.Context, plan programs.Plan, p *program) (
	r *execution.Recording, messages string, err error,
) {
	src, base, err := s.Compiler.WithHarness(plan.Source(), harness.ProgramPackages)
	if err != nil {
		return nil, "", err
	}
	p.finalizers = setsFinalizers(plan.Files)
	maps.Copy(src.Files, p.rewrite(base))
	src.NoInlining = true // only the unchanged program says what is inlined
	built, err := s.Compiler.Builder.Build(ctx, programs.WithStackLimit(src))
	if err != nil {
		return nil, "", fmt.Errorf("build the program to record its steps: %w", err)
	}
	defer built.Close()
	if !built.OK {
		return nil, string(built.Output) + built.Stop.String(), nil
	}
	if r, err = s.Recorder.Record(ctx, built.Binary); err != nil {
		return nil, "", fmt.Errorf("record the program's steps: %w", err)
	}
	return r, "", nil
}
