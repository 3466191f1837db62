package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
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

// An UnknownExercise is the UsageError for a name that no exercise has.
type UnknownExercise struct {
	Name       string
	Suggestion string // a command whose name is similar; "" for none
	Catalog    exercise.Catalog
}

func (e *UnknownExercise) Error() string {
	var known []string
	for _, e := range e.Catalog {
		known = append(known, e.ID)
	}
	exercises := strings.Join(known, ", ")
	if e.Suggestion != "" {
		return fmt.Sprintf(
			"no command or exercise %q; did you mean %q? The exercises are %s",
			e.Name,
			e.Suggestion,
			exercises,
		)
	}
	return fmt.Sprintf("no command or exercise %q; the exercises are %s", e.Name, exercises)
}

func (e *UnknownExercise) Unwrap() error { return UsageError(e.Error()) }

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
