package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"onthestack/internal/build"
	"onthestack/internal/safefile"
)

// Exit codes.
const (
	ExitPassed = 0
	ExitNotYet = 1
	ExitUsage  = 2
	ExitFailed = 3 // the check could not be made
)

// A UsageError is a mistake in how checkalloc was called. Its exit code is ExitUsage.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// Usagef returns a UsageError with formatted text.
func Usagef(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

// A WriteError is a failure to write to standard output.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// A rewordedError is an error with another text.
type rewordedError struct {
	text string
	error
}

func (e rewordedError) Error() string { return e.text }
func (e rewordedError) Unwrap() error { return e.error }

// Reword returns err with another text.
func Reword(err error, text string) error { return rewordedError{text, err} }

// HideTempFiles rewords an error without the paths of temporary files; see build.HideTempFiles.
func HideTempFiles(err error) error {
	if text := build.HideTempFiles(err.Error()); text != err.Error() {
		return Reword(err, text)
	}
	return err
}

// Message returns the text of an error for a person. If the command was interrupted, the text says so instead.
func Message(ctx context.Context, err error) string {
	if ctx.Err() != nil && !errors.As(err, new(*WriteError)) {
		return "interrupted"
	}
	return HideTempFiles(err).Error()
}

// A cancelingWriter ends the command at the first error of a write.
type cancelingWriter struct {
	to     io.Writer
	cancel context.CancelCauseFunc
}

func (w *cancelingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.cancel(&WriteError{err})
	}
	return n, err
}

// WriteFile replaces a file atomically, so that its old content stays if the new one cannot be written. A file that is
// not regular, such as a pipe, is written to.
func WriteFile(name string, text []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, text, mode)
		}
		mode = info.Mode().Perm()
	}
	return safefile.Write(name, text, mode)
}

// WritePage writes a page that write produces into a file, and says so.
func (a *App) WritePage(name string, write func(io.Writer) error) error {
	var page bytes.Buffer
	if err := write(&page); err != nil {
		return err
	}
	if err := WriteFile(name, page.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "The page is in %s\n", name)
	return nil
}
