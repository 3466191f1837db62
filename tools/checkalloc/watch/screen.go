package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"onthestack/internal/exercise"
)

// Screen shows an exercise on the full screen of a terminal, and checks it whenever its files change. It restores the
// terminal and returns nil when the reader quits or ctx ends.
func Screen(ctx context.Context, w *Workbook, e *exercise.Exercise, in io.Reader, out io.Writer, color bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var program *tea.Program
	s := newSession(w, func(message any) { program.Send(message) })
	m := newModel(w, e, func(e *exercise.Exercise) { s.request(ctx, e) })
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()}
	if !color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program = tea.NewProgram(m, options...)

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
