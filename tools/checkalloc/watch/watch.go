// Package watch checks an exercise again whenever its files are saved, and shows the verdict: on the full screen of a
// terminal, or line by line without one. The keys, their words and what each does are in keys.go.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

// A Workbook has the exercises that are watched, the workspace with the reader's files and progress, which other
// commands may change meanwhile, and what else watch needs.
type Workbook struct {
	*workspace.Workspace
	Catalog exercise.Catalog
	Command string // how the reader calls the checker: "checkalloc"
	// Busy says what a check that takes long is doing, or how long it may take.
	Busy func() string
	// Check checks files, and calls stage with the name of each stage that passed, as verdict.Checker does. When ctx
	// ends it soon returns an error, with nothing left behind. It is safe for concurrent use.
	Check func(ctx context.Context, e *exercise.Exercise, files map[string][]byte,
		stage func(string)) (*verdict.Verdict, error)
	// Report prints a verdict as a check without watch does.
	Report func(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) error
}

// catchPanic calls do and returns its panic as an error.
func catchPanic(do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("watch failed because of a bug in this program: %v\n%s", p, debug.Stack())
		}
	}()
	do()
	return nil
}

// Screen shows an exercise on the full screen of a terminal, and checks it whenever its files change. It restores the
// terminal and returns nil when the reader quits or ctx ends.
func Screen(ctx context.Context, w *Workbook, e *exercise.Exercise, in io.Reader, out io.Writer, color bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var program *tea.Program
	s := newSession(w, func(message any) { program.Send(message) })
	m := newModel(w, e, func(e *exercise.Exercise) { s.request(ctx, e) })
	program = NewProgram(m, in, out, color)

	// tea.WithContext would kill the program, and Quit ends it cleanly.
	defer context.AfterFunc(ctx, program.Quit)()
	var group sync.WaitGroup
	defer group.Wait() // the check under way cleans up
	defer cancel()
	group.Go(func() { s.run(ctx) })
	_, err := program.Run()
	switch {
	case m.failed != nil:
		return m.failed
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("watch failed because of the bug in this program that is printed above")
	case ctx.Err() != nil:
		return nil // a terminal that was closed may cause any error
	case err != nil:
		return fmt.Errorf("full screen: %w; \"%s watch … | cat\" works without it", err, w.Command)
	}
	return nil
}

// NewProgram returns a program on the full screen of a terminal, whose caller handles signals.
func NewProgram(m tea.Model, in io.Reader, out io.Writer, color bool) *tea.Program {
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()}
	if !color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	return tea.NewProgram(m, options...)
}
