package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/export"
	"onthestack/internal/parallel"
	"onthestack/internal/printable"
	"onthestack/internal/progress"
	"onthestack/internal/render"
	"onthestack/internal/rooted"
	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// checker returns the checker for the engine that was chosen.
func (c *command) checker() verdict.Checker {
	if c.engine == "wasm" {
		return verdict.Checker{
			Builder: toolchain.NewWasm(toolchain.SandboxLimits()),
			Runner:  sandbox.Wasm{Limits: c.limits},
		}
	}
	tools := toolchain.New(toolchain.DefaultLimits())
	return verdict.Checker{Builder: tools, Racer: tools, Runner: sandbox.Native{Limits: c.limits}}
}

// check checks the exercises and remembers the outcomes.
func (c *command) check(ctx context.Context, exercises []*exercise.Exercise) (int, error) {
	results, err := c.results(exercises)
	if err != nil {
		return 0, err
	}
	submission, err := c.submission()
	if err != nil {
		return 0, err
	}
	w, err := c.workspace()
	if err != nil {
		return 0, err
	}
	kept := progressKeeper{w: w, say: func(err error) { fmt.Fprintln(c.err, "checkalloc:", printable.Text(err.Error())) }}
	defer kept.close()
	var notYet, provisional []string
	var unchecked error // the first; the document has all
	checker := c.checker()
	line := progress.New(c.err)
	// A benchmark's time suffers by the company of others; what it allocates does not.
	for i, wait := range parallel.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (o outcome) {
		o.exercise = exercises[i]
		defer func(start time.Time) { o.took = time.Since(start) }(time.Now())
		o.files, o.err = w.Files(o.exercise.ID)
		var refused *rooted.Refused
		switch {
		case errors.As(o.err, &refused):
			// It fails this exercise, and the others are checked all the same.
			o.verdict, o.err = checker.Refused(o.exercise, strings.TrimPrefix(refused.Name, o.exercise.Dir()+"/"), refused.Why), nil
		case o.err == nil:
			o.verdict, o.err = checker.Check(ctx, o.exercise, o.files)
		}
		return o
	}) {
		if len(exercises) > 1 {
			line.Show("checking %s, %d of %d", exercises[i].ID, i+1, len(exercises))
		} else {
			line.Show("checking %s", exercises[i].ID)
		}
		stop := c.patience(line, exercises[i].ID)
		o := wait()
		stop()
		line.Clear()
		if o.err != nil {
			o.err = untemporary(o.err)
		}
		if c.format != "" {
			results[i].Verdict, results[i].Err, results[i].Time = o.verdict, o.err, o.took
		}
		if o.err != nil {
			if ctx.Err() != nil || !export.TakesErrors(c.format) {
				return 0, o.err
			}
			if unchecked == nil {
				unchecked = o.err
			}
			continue
		}
		if !o.verdict.Pass {
			notYet = append(notYet, o.exercise.ID)
		}
		if o.verdict.Provisional != "" {
			provisional = append(provisional, o.exercise.ID)
		}
		switch {
		case c.format != "": // one document, at the end
		case c.json:
			err = c.encoder().Encode(o.verdict)
		default:
			if i > 0 {
				fmt.Fprintln(c.out)
			}
			err = c.report(o.exercise, o.verdict, o.files, kept.of(o.exercise.ID))
		}
		if err != nil {
			return 0, err
		}
		kept.add(o.exercise.ID, o.verdict)
	}
	switch {
	case c.format != "":
		if err := export.Write(c.plain, c.format, results, submission); err != nil {
			return 0, err
		}
	case len(exercises) > 1 && !c.json:
		c.sum(len(exercises), notYet, provisional)
	}
	if unchecked != nil {
		return 0, unchecked
	}
	if len(notYet) > 0 && !export.GradedIsSuccess(c.format) {
		return exitNotYet, nil
	}
	return exitPassed, nil
}

// sum says how many of several exercises passed, which did not, and which only provisionally.
func (c *command) sum(checked int, notYet, provisional []string) {
	fmt.Fprintf(c.out, "\n  %d of %d passed.", checked-len(notYet), checked)
	if len(notYet) > 0 {
		fmt.Fprintf(c.out, " Not yet: %s", strings.Join(notYet, ", "))
	}
	if len(provisional) > 0 {
		fmt.Fprintf(c.out, "\n  Provisional, without the race detector: %s", strings.Join(provisional, ", "))
	}
	fmt.Fprintln(c.out)
}

// An outcome is the verdict on the files of one exercise.
type outcome struct {
	exercise *exercise.Exercise
	files    map[string][]byte
	verdict  *verdict.Verdict
	err      error
	took     time.Duration
}

// patience tells a waiting person what takes so long: the first build on a machine compiles the standard library.
func (c *command) patience(line *progress.Line, id string) (stop func()) {
	timer := time.AfterFunc(3*time.Second, func() {
		line.Print("checking %s … (the first check on a machine compiles the standard library; a test that does not end is stopped after %v)", id, c.limits.Time)
	})
	return func() { timer.Stop() }
}

func (c *command) report(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, last *workspace.State) error {
	options := c.options(e, files, c.width)
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
	for _, b := range v.Benchmarks {
		if was, ok := e.StarterFigure(b.Name); ok {
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
			return fmt.Sprintf("Closer: %s at the last check, %s now.",
				verdict.FormatAllocs(last.Last[i].AllocsPerOp), verdict.FormatCount(b.AllocsPerOp))
		}
	}
	return ""
}

// A progressKeeper saves verdicts as they come. If the progress file is broken or locked, it tries once more at the end. A failure to
// save is reported as a warning and not as an error, because the verdicts are valid all the same.
type progressKeeper struct {
	w       *workspace.Workspace
	say     func(error)
	unsaved []func(*workspace.Progress)
	said    error
}

// of returns the state of an exercise before its verdict.
func (k *progressKeeper) of(id string) *workspace.State {
	progress, err := k.w.Progress()
	if err != nil {
		return &workspace.State{} // add says it
	}
	return progress.Of(id)
}

func (k *progressKeeper) add(id string, v *verdict.Verdict) {
	k.unsaved = append(k.unsaved, func(p *workspace.Progress) { remember(p.Of(id), v) })
	if k.said == nil {
		k.save()
	}
}

func (k *progressKeeper) close() {
	if len(k.unsaved) > 1 { // a single one was tried a moment ago
		k.save()
	}
}

func (k *progressKeeper) save() {
	err := k.w.ChangeProgress(func(p *workspace.Progress) {
		for _, change := range k.unsaved {
			change(p)
		}
	})
	switch {
	case err == nil:
		k.unsaved = nil
	case k.said == nil || k.said.Error() != err.Error():
		k.said = err
		k.say(err)
	}
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
