package command

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/term"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/watch"
)

// watch checks an exercise, or the next one, and again on each save, until the reader leaves.
func (c *cli) watch(ctx context.Context, args []string) (int, error) {
	if len(args) > 1 {
		return 0, app.Usagef("watch takes one exercise at most: \"%s watch exercise1\"", c.Program)
	}
	e, err := c.named(args)
	if err != nil {
		return 0, err
	}
	w, err := c.Workspace()
	if err != nil {
		return 0, err
	}
	checker := c.Checker() // one for all checks, because it asks the go command for its settings once
	defer app.PrepareBuilds(ctx, checker, c.Catalog)()
	book := c.watched(w, checker)
	if in, out, ok := fullScreen(c.App); ok && !c.JSON {
		return app.ExitPassed, watch.Screen(ctx, book, e, in, out, !c.NoColor)
	}
	lines := c.Out
	if c.JSON {
		lines = io.Discard // the verdicts are the only output
	}
	err = watch.Lines(ctx, book, e, lines, c.Err)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	return app.ExitPassed, err
}

// fullScreen returns the files of the terminal; ok is false if it cannot show a full screen, or there is none.
func fullScreen(a *app.App) (in, out *os.File, ok bool) {
	in, isFile := a.In.(*os.File)
	out, isToo := a.Raw.(*os.File)
	if !isFile || !isToo || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil, nil, false
	}
	width, height, err := term.GetSize(int(out.Fd()))
	visible := err == nil && width > 0 && height > 0
	kind := os.Getenv("TERM")
	dumb := kind == "dumb" || kind == "" && runtime.GOOS != "windows"
	return in, out, visible && !dumb && os.Getenv("CI") == ""
}

// watched returns what package watch needs.
func (c *cli) watched(w *workspace.Workspace, checker verdict.Checker) *watch.Workbook {
	return &watch.Workbook{
		Workspace: w, Catalog: c.Catalog, Command: c.Program,
		Busy: func() string { return c.Busy(checker) },
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
		Report: func(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) error {
			if c.JSON {
				return c.JSONEncoder().Encode(v)
			}
			c.PrintVerdict(e, v, files, before)
			if v.Pass {
				progress, _ := w.Progress() // without it, no exercise has passed
				c.PrintNext(e, progress)
			}
			return nil
		},
	}
}
