// Package watch checks an exercise again whenever its files are saved, and shows the verdict: on the full screen of a
// terminal, or line by line without one. The keys and their words are in keys.go; press.go has what each key does.
package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// A Workbook has the exercises that are watched, the workspace with the reader's files and progress, which other commands
// may change meanwhile, and functions for everything else that watch shows and does. They are safe for concurrent use.
type Workbook struct {
	*workspace.Workspace
	Catalog exercise.Catalog
	Command string // how the reader calls the checker: "checkalloc"

	// Check checks files, and calls stage with the name of each stage that passed, as verdict.Checker does. When ctx
	// ends it soon returns an error, with nothing left behind.
	Check func(ctx context.Context, e *exercise.Exercise, files map[string][]byte,
		stage func(string)) (*verdict.Verdict, error)
	// TestTimeout is the time after which tests are stopped.
	TestTimeout time.Duration
	// Diff returns the differences between the reader's files and the solution, with color, or a sentence if there are
	// none.
	Diff func(*exercise.Exercise) (string, error)
	// Target returns what an exercise measures at the start, and its target: "4 → 0 allocs/op".
	Target func(*exercise.Exercise) string
	// Report prints a verdict as a check without watch does.
	Report func(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) error
}

// First returns the exercise to begin with: the first that has not passed, else the first.
func (w *Workbook) First() (*exercise.Exercise, error) {
	if len(w.Catalog) == 0 {
		return nil, fmt.Errorf("there is no exercise")
	}
	for _, e := range w.Catalog {
		state, err := w.State(e)
		if err != nil {
			return nil, err
		}
		if state.Passed == nil {
			return e, nil
		}
	}
	return w.Catalog[0], nil
}

// errPanic is a panic in this program.
type errPanic struct {
	value any
	stack []byte
}

func (e errPanic) Error() string {
	return fmt.Sprintf("watch failed because of a bug in this program: %v\n%s", e.value, e.stack)
}

// catchPanic calls do and returns its panic as an error.
func catchPanic(do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic{p, debug.Stack()}
		}
	}()
	do()
	return nil
}
