// Package watch checks an exercise again whenever its files are saved, and shows how it stands: on a full screen, or
// line by line where there is none. It decides nothing about pass or fail.
package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/render"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// A Workbook is what is watched, and what can be done there. Its functions are safe for concurrent use.
type Workbook struct {
	Catalog exercise.Catalog
	Command string // how the reader calls the checker: "checkalloc"

	// Dir is the folder, an absolute path, that holds the reader's files of an exercise.
	Dir func(*exercise.Exercise) string
	// Files returns these files by name.
	Files func(*exercise.Exercise) (map[string][]byte, error)
	// Check checks files, and calls stage with the name of each stage that passed, as verdict.Checker does. When ctx
	// ends it returns soon, an error, and leaves nothing behind.
	Check func(ctx context.Context, e *exercise.Exercise, files map[string][]byte, stage func(string)) (*verdict.Verdict, error)
	// Patience is how long a test may run before it is stopped.
	Patience time.Duration

	// State returns the reader's progress in an exercise.
	State func(*exercise.Exercise) (workspace.State, error)
	// Remember takes a verdict into the progress and returns what the progress was before. An error says why it is not
	// remembered.
	Remember func(*exercise.Exercise, *verdict.Verdict) (before workspace.State, err error)
	// Hint counts one more hint as shown, and returns how many of them are.
	Hint func(*exercise.Exercise) (shown int, err error)
	// Reset puts the starter back, and returns the folder with what was changed, "" where nothing was.
	Reset func(*exercise.Exercise) (backup string, err error)
	// Diff returns what separates the reader's files from the solution, in words where nothing does. It has color.
	Diff func(*exercise.Exercise) (string, error)

	// Options are for rendering a verdict on files.
	Options func(e *exercise.Exercise, files map[string][]byte, width int) render.Options
	// Target writes where an exercise starts and where it is to get: "4 → 0 allocs/op".
	Target func(*exercise.Exercise) string
	// Report writes a verdict as the ordinary command does.
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

// errPanic is a failure of this program's own.
type errPanic struct {
	value any
	stack []byte
}

func (e errPanic) Error() string {
	return fmt.Sprintf("watch failed, a mistake in this program: %v\n%s", e.value, e.stack)
}

// guard runs do and returns its panic as an error.
func guard(do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic{p, debug.Stack()}
		}
	}()
	do()
	return nil
}
