package command

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/watch"
	"onthestack/tools/checkalloc/workspace"
)

// watch checks an exercise, and again on each save, until the reader leaves.
func (c *cli) watch() *cobra.Command {
	return c.workbookCommand(&cobra.Command{
		Use:               "watch [EXERCISE]",
		Short:             "check an exercise, or the next one, on each save",
		Example:           "checkalloc watch exercise1",
		Annotations:       map[string]string{exitCodes: "0 ended · 2 wrong usage · 3 could not watch"},
		ValidArgsFunction: c.completeExercise,
		RunE: c.run(func(ctx context.Context, args []string) (int, error) {
			if len(args) > 1 {
				return 0, app.Usagef("watch takes one exercise at most: \"%s watch exercise1\"", c.Name)
			}
			var e *exercise.Exercise // nil for the next
			if len(args) == 1 {
				var err error
				if e, err = c.Lookup(args[0]); err != nil {
					return 0, err
				}
			}
			return app.ExitPassed, watchExercise(ctx, c.App, e)
		}),
	})
}

// watchExercise watches an exercise, or the next one if e is nil.
func watchExercise(ctx context.Context, a *app.App, e *exercise.Exercise) error {
	w, err := a.Workspace()
	if err != nil {
		return err
	}
	checker := a.Checker() // one for all checks, because it asks the go command for its settings once
	defer prepareBuilds(ctx, checker, a.Catalog)()
	book := newWorkbook(a, w, checker)
	if e == nil {
		if e, err = book.First(); err != nil {
			return err
		}
	}
	if in, out, ok := fullScreen(a); ok && !a.JSON {
		return watch.Screen(ctx, book, e, in, out, !a.NoColor)
	}
	lines := a.Out
	if a.JSON {
		lines = io.Discard // the verdicts are the only output
	}
	err = watch.Lines(ctx, book, e, lines, a.Err)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	return err
}

// fullScreen returns the files of the terminal; ok is false if it cannot show a full screen, or there is none.
func fullScreen(a *app.App) (in, out *os.File, ok bool) {
	in, isFile := a.In.(*os.File)
	out, isToo := a.Raw.(*os.File)
	if !isFile || !isToo || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil, nil, false
	}
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width < 1 || height < 1 {
		return nil, nil, false
	}
	kind := os.Getenv("TERM")
	dumb := kind == "dumb" || kind == "" && runtime.GOOS != "windows"
	return in, out, !dumb && os.Getenv("CI") == ""
}

// newWorkbook returns what package watch needs.
func newWorkbook(a *app.App, w *workspace.Workspace, checker verdict.Checker) *watch.Workbook {
	return &watch.Workbook{
		Workspace:   w,
		Catalog:     a.Catalog,
		Command:     a.Program,
		TestTimeout: a.Limits.Time,
		Check: func(ctx context.Context, e *exercise.Exercise, files map[string][]byte,
			stage func(string)) (*verdict.Verdict, error) {
			checker := checker
			checker.Stage = stage
			v, err := checker.Check(ctx, e, files)
			if err != nil {
				err = app.HideTempFiles(err)
			}
			return v, err
		},
		Diff: func(e *exercise.Exercise) (string, error) {
			var text strings.Builder
			err := printDiff(a, &text, e, false)
			return text.String(), err
		},
		Target: targets,
		Report: func(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) error {
			if a.JSON {
				return a.JSONEncoder().Encode(v)
			}
			printVerdict(a, e, v, files, &before)
			return nil
		},
	}
}
