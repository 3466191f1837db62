package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"onthestack/internal/exercise"
	"onthestack/internal/render"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/watch"
	"onthestack/tools/checkalloc/workspace"
)

// watch checks an exercise, nil for the next one, and again on each save, until the reader leaves.
func (c *command) watch(ctx context.Context, e *exercise.Exercise) error {
	w, err := c.workspace()
	if err != nil {
		return err
	}
	checker := c.checker() // one for all checks: it asks the go command for its settings once
	defer quickly(ctx, &checker, c.catalog)()
	book := c.workbook(w, checker)
	if e == nil {
		if e, err = book.First(); err != nil {
			return err
		}
	}
	if in, out, ok := c.screen(); ok && !c.json {
		return watch.Screen(ctx, book, e, in, out, !c.noColor)
	}
	lines := c.out
	if c.json {
		lines = io.Discard // verdicts are all
	}
	err = watch.Lines(ctx, book, e, lines, c.err)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	return err
}

// screen returns the terminal, where there is one that a full screen can be shown on.
func (c *command) screen() (in, out *os.File, ok bool) {
	in, isFile := c.in.(*os.File)
	out, isToo := c.plain.(*os.File)
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

// workbook is what a watch needs of this command. The progress is read anew each time: other commands change it meanwhile.
func (c *command) workbook(w *workspace.Workspace, checker verdict.Checker) *watch.Workbook {
	return &watch.Workbook{
		Catalog:  c.catalog,
		Command:  c.self,
		Patience: c.limits.Time,
		Dir:      func(e *exercise.Exercise) string { return filepath.Join(w.Root, "exercises", e.ID) },
		Files:    func(e *exercise.Exercise) (map[string][]byte, error) { return w.Files(e.ID) },
		Check: func(ctx context.Context, e *exercise.Exercise, files map[string][]byte, stage func(string)) (*verdict.Verdict, error) {
			checker := checker
			checker.Stage = stage
			v, err := checker.Check(ctx, e, files)
			if err != nil {
				err = untemporary(err)
			}
			return v, err
		},
		State: func(e *exercise.Exercise) (workspace.State, error) {
			kept, err := w.Progress()
			if err != nil {
				return workspace.State{}, err
			}
			return *kept.Of(e.ID), nil
		},
		Remember: func(e *exercise.Exercise, v *verdict.Verdict) (before workspace.State, err error) {
			err = w.ChangeProgress(func(p *workspace.Progress) {
				before = *p.Of(e.ID)
				remember(p.Of(e.ID), v)
			})
			return before, err
		},
		Hint: func(e *exercise.Exercise) (shown int, err error) {
			err = w.ChangeProgress(func(p *workspace.Progress) { shown = oneMore(e, p.Of(e.ID)) })
			return shown, err
		},
		Reset:   func(e *exercise.Exercise) (string, error) { return w.Reset(e, time.Now()) },
		Diff:    c.difference,
		Target:  targets,
		Options: c.options,
		Report: func(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) error {
			if c.json {
				return c.encoder().Encode(v)
			}
			return c.report(e, v, files, &before)
		},
	}
}

// options are for rendering a verdict on files, the solver's by name.
func (c *command) options(e *exercise.Exercise, files map[string][]byte, width int) render.Options {
	return render.Options{Width: width, Command: c.self, Source: func(name string) []byte {
		if slices.Contains(e.Edit, name) {
			return files[name]
		}
		return e.Files[name]
	}}
}

// difference is what "checkalloc diff" writes, with color.
func (c *command) difference(e *exercise.Exercise) (string, error) {
	var b bytes.Buffer
	aside := *c
	aside.out = &b
	err := aside.diff(e)
	return b.String(), err
}

// watched is the exercise that the arguments of watch name, nil for the next.
func (c *command) watched(args []string) (*exercise.Exercise, error) {
	switch len(args) {
	case 0:
		return nil, nil
	case 1:
		return c.lookup(args[0])
	}
	return nil, usageError("watch takes one exercise at most: \"checkalloc watch exercise1\"")
}
