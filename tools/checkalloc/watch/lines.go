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

// Lines checks an exercise, again whenever its files change, and writes a block for each check: a line with the time
// and the stages as they pass, and the verdict as Workbook.Report does. It returns when ctx ends, which is no error.
// Errors of checks and what is to be known about the watching go to notes.
func Lines(ctx context.Context, w *Workbook, e *exercise.Exercise, out, notes io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := lines{workbook: w, out: out, notes: notes, fail: cancel}
	s := newSession(w, l.take)
	var group sync.WaitGroup
	group.Go(func() { s.run(ctx) })
	s.ask(ctx, e)
	group.Wait()
	return l.err
}

// lines writes what a session tells.
type lines struct {
	workbook   *Workbook
	out, notes io.Writer
	fail       func(error) // ends the session
	err        error
	open       bool // the line of stages has no end yet
}

func (l *lines) take(message any) {
	switch message := message.(type) {
	case began:
		l.end()
		_, err := fmt.Fprintf(l.out, "── %s  %s ", message.at.Format(time.TimeOnly), message.exercise.ID)
		l.open = true
		l.stop(err)
	case staged:
		_, err := fmt.Fprintf(l.out, " %s ✓", message.stage)
		l.stop(err)
	case ended:
		l.end()
		if message.err != nil {
			fmt.Fprintf(l.notes, "%s\n", printable.Text(strings.TrimRight(message.err.Error(), "\n")))
			return
		}
		fmt.Fprintln(l.out)
		l.stop(l.workbook.Report(message.exercise, message.verdict, message.files, message.before))
		fmt.Fprintln(l.out)
		if message.unsaved != nil {
			fmt.Fprintf(l.notes, "not remembered: %s\n", printable.Text(message.unsaved.Error()))
		}
	case noted:
		l.end()
		fmt.Fprintln(l.notes, printable.Text(message.text))
	case broke:
		l.stop(message.err)
	}
}

func (l *lines) end() {
	if l.open {
		fmt.Fprintln(l.out)
		l.open = false
	}
}

// stop ends the session where nobody can be told more.
func (l *lines) stop(err error) {
	if err != nil && l.err == nil {
		l.err = err
		l.fail(err)
	}
}
