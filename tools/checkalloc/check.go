package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/render"
	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// checker returns the checker for the engine that was chosen.
func (c *command) checker() verdict.Checker {
	if c.engine == "wasm" {
		return verdict.Checker{
			Builder: toolchain.NewWasm(toolchain.DefaultLimits()),
			Runner:  sandbox.Wasm{Limits: c.limits},
		}
	}
	return verdict.Checker{
		Builder: toolchain.New(toolchain.DefaultLimits()),
		Runner:  sandbox.Native{Limits: c.limits},
	}
}

// check checks the exercises one after the other and remembers the outcome.
func (c *command) check(ctx context.Context, exercises []*exercise.Exercise) (int, error) {
	w, err := c.workspace()
	if err != nil {
		return 0, err
	}
	// The verdict stands, also where nothing can be remembered.
	progress, unread := w.Progress()
	if unread != nil {
		fmt.Fprintln(c.err, "checkalloc:", unread)
		progress = &workspace.Progress{}
	}
	checker := c.checker()
	code := exitPassed
	for i, e := range exercises {
		files, err := w.Files(e.ID)
		if err != nil {
			return 0, err
		}
		stop := c.patience(e.ID)
		v, err := checker.Check(ctx, e, files)
		stop()
		if err != nil {
			return 0, err
		}
		if !v.Pass {
			code = exitNotYet
		}
		state := progress.Of(e.ID)
		if c.json {
			err = json.NewEncoder(c.plain).Encode(v)
		} else {
			if i > 0 {
				fmt.Fprintln(c.out)
			}
			err = c.report(e, v, files, state)
		}
		if err != nil {
			return 0, err
		}
		remember(state, v)
		if unread != nil {
			continue // the file is left as it is, for its owner to mend
		}
		if err := progress.Save(); err != nil {
			fmt.Fprintln(c.err, "checkalloc:", err)
		}
	}
	return code, nil
}

// patience tells a waiting person what takes so long: the first build on a machine compiles the standard library.
func (c *command) patience(id string) (stop func()) {
	timer := time.AfterFunc(3*time.Second, func() {
		fmt.Fprintf(c.err, "checking %s … (the first check on a machine compiles the standard library; a test that does not end is stopped after %v)\n", id, c.limits.Time)
	})
	return func() { timer.Stop() }
}

func (c *command) report(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, last *workspace.State) error {
	options := render.Options{Width: c.width, Command: c.self, Source: func(name string) []byte {
		if slices.Contains(e.Edit, name) {
			return files[name]
		}
		return e.Files[name]
	}}
	render.Verdict(c.out, v, options)
	if v.Pass {
		c.passed(e, v)
		return nil
	}
	if text := fewer(v, last); text != "" {
		fmt.Fprintf(c.out, "  %s\n", text)
	}
	render.Next(c.out, v, options)
	return nil
}

// passed tells what was saved, where the chapter is and what comes next.
func (c *command) passed(e *exercise.Exercise, v *verdict.Verdict) {
	fmt.Fprint(c.out, "  Passed.")
	if e.Figures != nil {
		for _, b := range v.Benchmarks {
			i := slices.IndexFunc(e.Figures.Starter, func(f exercise.Figure) bool { return f.Name == b.Name })
			if i < 0 {
				continue
			}
			was := e.Figures.Starter[i]
			fmt.Fprintf(c.out, " %s: %s → %s allocs/op, %s → %s B/op since the starter.", b.Name,
				verdict.FormatCount(was.AllocsPerOp), verdict.FormatCount(b.AllocsPerOp),
				verdict.FormatBytes(was.BytesPerOp), verdict.FormatBytes(b.BytesPerOp))
		}
	}
	fmt.Fprintf(c.out, "\n  Chapter: book/%s   Compare with the solution: %s diff %s\n", e.Chapter, c.self, e.ID)
	if next := c.catalog.Next(e.ID); next != nil {
		fmt.Fprintf(c.out, "  Next: %s, %s   %s %s\n", next.ID, next.Title, c.self, next.ID)
	} else {
		fmt.Fprintln(c.out, "  That was the last exercise.")
	}
}

// fewer says how far the solver has come since the last check that measured.
func fewer(v *verdict.Verdict, last *workspace.State) string {
	for _, b := range v.Benchmarks {
		i := slices.IndexFunc(last.Last, func(f exercise.Figure) bool { return f.Name == b.Name })
		if i >= 0 && b.AllocsPerOp < last.Last[i].AllocsPerOp {
			return fmt.Sprintf("Closer: %s allocs/op at the last check, %s now.",
				verdict.FormatCount(last.Last[i].AllocsPerOp), verdict.FormatCount(b.AllocsPerOp))
		}
	}
	return ""
}

func remember(s *workspace.State, v *verdict.Verdict) {
	if len(v.Benchmarks) > 0 {
		s.Last = figures(v)
	}
	if v.Pass && s.Passed == nil {
		now := time.Now().UTC().Truncate(time.Second)
		s.Passed = &now
	}
}

func figures(v *verdict.Verdict) []exercise.Figure {
	var all []exercise.Figure
	for _, b := range v.Benchmarks {
		all = append(all, exercise.Figure{Name: b.Name, AllocsPerOp: b.AllocsPerOp, BytesPerOp: b.BytesPerOp})
	}
	return all
}
