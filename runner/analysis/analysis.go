// Package analysis has a request's code parsed, type-checked, rewritten or formatted in a process of its own, so that
// code on which that takes very long, or all memory, ends that process and not the server.
//
// The server starts its own executable again for each request (process.go), with the limits of a build. The process
// reads the Question, does the work with the packages verdict, programs and step (main.go), and returns an Answer.
// For what has limits of its own, builds and runs, it calls back: the server does that with its Means (means.go), in
// the slot that the request has. An answer is bounded.
package analysis

import (
	"encoding/json"
	"fmt"

	"onthestack/internal/advice"
	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
	"onthestack/runner/queue"
)

// The kinds of a Question are the paths of the server's endpoints.
const (
	Check   = "/check"
	Compile = "/compile"
	Vet     = "/vet"
	Escape  = "/escape"
	Step    = "/step"
	Format  = "/fmt"
)

// A Question is a request of a client.
type Question struct {
	Kind string

	// A program; nil for Check.
	Body    []byte
	WithVet bool
	// Imports is true if Format is to complete the imports. The process then needs a folder: see Limits.
	Imports bool
	// Language is the language version of a program without a go.mod, "1.26".
	Language string
	// Output is the limit on a program's output in bytes, for messages.
	Output int

	// A solution; nil for other kinds.
	Exercise *exercise.Exercise
	Files    map[string][]byte
	Engine   string // that runs the tests
}

// An Answer is the answer to a Question.
type Answer struct {
	Body json.RawMessage
	// Vetted is true if it contains what vet found.
	Vetted bool
}

// Means are how the server builds and runs what a Question is about.
type Means interface {
	programs.Builder
	programs.Runner
	programs.Vetter
	programs.Loader // of the tests of a check, or of a program's benchmarks
	verdict.Builder
	step.Recorder
	// Tell is called with the events of the work.
	Tell(queue.Event)
}

// Refused returns the answer to a question that cannot be answered, for the reason why: "parsing and …".
func (q Question) Refused(why string) any {
	switch q.Kind {
	case Check:
		v := verdict.Checker{Runner: engine(q.Engine), Advise: advice.Of}.Refused(q.Exercise, q.Exercise.Edit[0], why)
		v.Errors[0].Stopped = true
		return v
	case Escape:
		return programs.Unexplained(why + "\n")
	case Step:
		return step.Failed(why + "\n")
	}
	return &programs.Response{Errors: why + "\n"}
}

// maxList bounds each list of an answer in bytes of JSON. A request of 3 KB can have a report of 4 MB. The reports on
// the exercises and on the book's programs have less than a tenth of this.
const maxList = 512 << 10

// bound shortens the lists of an answer that are too long. A note among the diagnostics then says what is left out. The
// output of programs and the steps have limits of their own.
func bound(value any) {
	switch v := value.(type) {
	case *programs.Report:
		v.Escapes = boundDiagnostics(v.Escapes)
		if v.Verdict != nil {
			bound(v.Verdict)
		}
	case *verdict.Verdict:
		v.Escapes = boundDiagnostics(v.Escapes)
		var left int
		if v.Allocations, left = shorten(v.Allocations); left > 0 {
			at := v.Allocations[0]
			v.Escapes = append(v.Escapes, note(at.File, at.Line, "%d lines that allocate less are left out", left))
		}
		if v.Inside, left = shorten(v.Inside); left > 0 {
			at := v.Inside[0]
			v.Escapes = append(v.Escapes, note(at.File, at.Line,
				"%d lines of other packages that allocate less are left out", left))
		}
	}
}

func boundDiagnostics(list []escape.Diagnostic) []escape.Diagnostic {
	first, left := shorten(list)
	if left > 0 {
		at := list[len(first)]
		first = append(first, note(at.File, at.Line, "%d diagnostics from here on are left out", left))
	}
	return first
}

func note(file string, line int, format string, args ...any) escape.Diagnostic {
	return escape.Diagnostic{File: file, Line: line, Kind: escape.Note,
		Message: fmt.Sprintf(format, args...) + fmt.Sprintf(", because the list is larger than %d KiB", maxList>>10)}
}

// shorten returns the beginning of a list that has at most maxList bytes, and how many elements are left out. At least
// one element is kept.
func shorten[T any](list []T) (first []T, left int) {
	size := 0
	for i, element := range list {
		text, err := json.Marshal(element)
		if err != nil {
			return list, 0 // encoding the answer will say so
		}
		if size += len(text); size > maxList && i > 0 {
			return list[:i:i], len(list) - i
		}
	}
	return list, 0
}
