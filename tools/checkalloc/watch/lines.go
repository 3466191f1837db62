package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
)

// Lines checks an exercise, and again whenever its files change. For each check it writes a line with the time and the
// stages as they pass, and then the verdict by Workbook.Report. It returns nil when ctx ends. Errors of checks go to
// notes.
func Lines(ctx context.Context, w *Workbook, e *exercise.Exercise, out, notes io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := lines{workbook: w, out: out, notes: notes, fail: cancel}
	s := newSession(w, l.handle)
	var group sync.WaitGroup
	group.Go(func() { s.run(ctx) })
	s.request(ctx, e)
	group.Wait()
	return l.err
}

// lines writes the messages of a session.
type lines struct {
	workbook   *Workbook
	out, notes io.Writer
	fail       func(error) // ends the session
	err        error
	open       bool // the line of stages is not complete
}

func (l *lines) handle(message any) {
	switch message := message.(type) {
	case checkStarted:
		l.end()
		_, err := fmt.Fprintf(l.out, "── %s  %s ", message.at.Format(time.TimeOnly), message.exercise.ID)
		l.open = true
		l.stop(err)
	case stagePassed:
		_, err := fmt.Fprintf(l.out, " %s ✓", message.stage)
		l.stop(err)
	case checkEnded:
		l.end()
		if message.err != nil {
			fmt.Fprintf(l.notes, "%s\n", printable.Text(strings.TrimRight(message.err.Error(), "\n")))
			return
		}
		fmt.Fprintln(l.out)
		l.stop(l.workbook.Report(message.exercise, message.verdict, message.files, message.before))
		fmt.Fprintln(l.out)
		if message.unsaved != nil {
			fmt.Fprintf(l.notes, "not saved: %s\n", printable.Text(message.unsaved.Error()))
		}
	case crashed:
		l.stop(message.err)
	}
}

func (l *lines) end() {
	if l.open {
		fmt.Fprintln(l.out)
		l.open = false
	}
}

// stop ends the session after an error of a write.
func (l *lines) stop(err error) {
	if err != nil && l.err == nil {
		l.err = err
		l.fail(err)
	}
}
