package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/present/export"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/workspace"
)

// check is the command without a name: it checks exercises, or prints the progress if none is named.
func (c *cli) check() *cobra.Command {
	call := &checkCall{cli: c}
	cmd := &cobra.Command{
		Use:     c.Name,
		Short:   "check solutions of the workbook's exercises",
		Example: "checkalloc exercise1",
		Annotations: map[string]string{
			usageForms: "\tshow your progress and the next exercise\n" +
				"EXERCISE... | all\tcheck one exercise, several, or all",
			exitCodes: checkCodes,
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			names := c.exerciseNames(args, prefix)
			if len(args) == 0 && strings.HasPrefix("all", prefix) {
				names = append(names, cobra.CompletionWithDesc("all", "all exercises"))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: c.run(call.run),
	}
	f := cmd.Flags()
	f.StringVar(&call.format, "format", "",
		"print one document for graders, in format `NAME`: junit, gradescope, classroom50 or exercism")
	f.IntVar(&call.points, "points", 0, "with --format: give `N` points for all exercises together (default: 1 each)")
	complete(cmd, "format", cobra.FixedCompletions(export.Formats(), cobra.ShellCompDirectiveNoFileComp))
	cmd.SuggestionsMinimumDistance = 2
	return c.workbookCommand(cmd)
}

// A checkCall is one call of the command without a name.
type checkCall struct {
	*cli
	format string // of package export; "" for none
	points int    // of all exercises together; 0 for 1 each
}

// run checks the exercises that are named, or shows the progress if none is. It shows each verdict when it is there, in
// the order of the exercises, and saves it in the progress.
func (c *checkCall) run(ctx context.Context, args []string) (int, error) {
	exercises, err := c.named(args)
	if err == nil {
		err = c.checkFormat(exercises)
	}
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return app.ExitPassed, overview(c.App)
	}
	submission, err := c.submission()
	if err != nil {
		return 0, err
	}
	if c.format != "" && c.Engine == "" {
		c.Engine = app.Wasm // a document for graders is about other people's code, which runs in the sandbox
	}
	w, err := c.Workspace()
	if err != nil {
		return 0, err
	}
	checker := c.Checker()
	defer prepareBuilds(ctx, checker, exercises)()
	saver := &progressSaver{workspace: w, warn: func(err error) {
		fmt.Fprintf(c.Err, "%s: %s\n", c.Name, printable.Text(err.Error()))
	}}
	defer saver.close()

	var results []checked
	for r := range c.checkAll(ctx, checker, w, exercises) {
		if r.err != nil && (ctx.Err() != nil || !export.TakesErrors(c.format)) {
			return 0, r.err
		}
		results = append(results, r)
		if r.err != nil {
			continue // the document has it
		}
		if err := c.show(r, len(results), saver); err != nil {
			return 0, err
		}
		saver.add(r.exercise.ID, r.verdict)
	}
	return c.conclude(results, submission)
}

// named returns the exercises that the arguments name.
func (c *checkCall) named(args []string) (exercises exercise.Catalog, err error) {
	if slices.Equal(args, []string{"all"}) {
		return c.Catalog, nil
	}
	for _, arg := range args {
		e, err := c.Lookup(arg)
		var unknown *app.UnknownExercise
		if errors.As(err, &unknown) && arg != "" {
			if similar := c.root.SuggestionsFor(arg); len(similar) > 0 {
				unknown.Suggestion = similar[0]
			}
		}
		if err != nil {
			return nil, err
		}
		exercises = append(exercises, e)
	}
	return exercises, nil
}

// show shows the nth result, unless it is for a document, which conclude writes.
func (c *checkCall) show(r checked, n int, saver *progressSaver) error {
	switch {
	case c.JSON:
		return c.JSONEncoder().Encode(r.verdict)
	case c.format != "":
		return nil
	case n > 1:
		fmt.Fprintln(c.Out)
	}
	printVerdict(c.App, r.exercise, r.verdict, r.files, saver.state(r.exercise.ID))
	return nil
}

// conclude writes what is about all results, and returns the exit code.
func (c *checkCall) conclude(results []checked, submission *export.Submission) (code int, err error) {
	var notYet, provisional []string
	var unchecked error // the first; the document has all
	for _, r := range results {
		switch {
		case r.err != nil:
			unchecked = cmp.Or(unchecked, r.err)
		case !r.verdict.Pass:
			notYet = append(notYet, r.exercise.ID)
		case r.verdict.Provisional != "":
			provisional = append(provisional, r.exercise.ID)
		}
	}
	switch {
	case c.format != "":
		err = export.Write(c.Raw, c.format, c.document(results), submission)
	case len(results) > 1 && !c.JSON:
		fmt.Fprintf(c.Out, "\n  %d of %d passed.", len(results)-len(notYet), len(results))
		if len(notYet) > 0 {
			fmt.Fprintf(c.Out, " Not yet: %s", strings.Join(notYet, ", "))
		}
		if len(provisional) > 0 {
			fmt.Fprintf(c.Out, "\n  Provisional, without the race detector: %s", strings.Join(provisional, ", "))
		}
		fmt.Fprintln(c.Out)
	}
	if len(notYet) > 0 && !export.GradedIsSuccess(c.format) {
		code = app.ExitNotYet
	}
	return code, cmp.Or(err, unchecked)
}

// A checked is the verdict on the files of one exercise.
type checked struct {
	exercise *exercise.Exercise
	files    map[string][]byte
	verdict  *verdict.Verdict
	err      error
	took     time.Duration
}

// checkAll checks exercises and yields the results in their order. The status line tells what is being checked.
func (c *checkCall) checkAll(
	ctx context.Context, checker verdict.Checker, w *workspace.Workspace, exercises []*exercise.Exercise,
) iter.Seq[checked] {
	return func(yield func(checked) bool) {
		line := printable.NewStatusLine(c.Err)
		// Running checks in parallel slows them down, but no verdict depends on time, and they allocate the same.
		for i, wait := range execution.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (checked, error) {
			r := checkFiles(ctx, checker, w, exercises[i])
			return r, r.err
		}) {
			id, of := exercises[i].ID, ""
			if len(exercises) > 1 {
				of = fmt.Sprintf(", %d of %d", i+1, len(exercises))
			}
			line.Show("checking %s%s", id, of)
			stop := line.After(3*time.Second, "checking %s … (the first check on a machine compiles the standard "+
				"library; a test that does not end is stopped after %v)", id, c.Limits.Time)
			r, err := wait()
			stop()
			line.Clear()
			if err != nil {
				r.err = app.HideTempFiles(err)
			}
			if !yield(r) {
				return
			}
		}
	}
}

// prepareBuilds makes a native checker build without the go command, which takes half as long. The preparation is one
// call of the go command, and pays for a single check already. Checks may begin at once: only their builds wait for it.
// stop ends the preparation and removes its files.
func prepareBuilds(ctx context.Context, checker verdict.Checker, exercises exercise.Catalog) (stop func() error) {
	tools, native := checker.Builder.(*build.Toolchain)
	if !native || checker.Runner.Engine() != app.Native {
		return func() error { return nil }
	}
	var imports []string
	for _, e := range exercises {
		imports = append(imports, e.Dependencies()...)
	}
	tools.PrepareBeside(ctx, imports...)
	return tools.Close
}

// checkFiles checks the reader's files of an exercise. A file that may not be read fails this exercise alone.
func checkFiles(
	ctx context.Context,
	checker verdict.Checker,
	w *workspace.Workspace,
	e *exercise.Exercise,
) (r checked) {
	r.exercise = e
	defer func(start time.Time) { r.took = time.Since(start) }(time.Now())
	r.files, r.err = w.Files(e.ID)
	var refused *safefile.Refused
	switch {
	case errors.As(r.err, &refused):
		r.verdict, r.err = checker.Refused(e, strings.TrimPrefix(refused.Name, e.Dir()+"/"), refused.Why), nil
	case r.err == nil:
		r.verdict, r.err = checker.Check(ctx, e, r.files)
	}
	return r
}

// printVerdict prints a verdict for a person; before is the progress in the exercise before the check.
func printVerdict(
	a *app.App,
	e *exercise.Exercise,
	v *verdict.Verdict,
	files map[string][]byte,
	before *workspace.State,
) {
	options := terminal.ExerciseOptions(e, files, a.Program, a.Width)
	terminal.Verdict(a.Out, v, options)
	if v.Pass {
		printPassed(a, e, v)
		return
	}
	if text := improvement(v, before); text != "" {
		fmt.Fprintf(a.Out, "  %s\n", text)
	}
	terminal.Next(a.Out, v, options)
}

// printPassed prints what a solution saves, and where to go on.
func printPassed(a *app.App, e *exercise.Exercise, v *verdict.Verdict) {
	fmt.Fprint(a.Out, "  Passed.")
	for _, b := range v.Benchmarks {
		if was, ok := e.StarterFigure(b.Name); ok {
			fmt.Fprintf(a.Out, " %s: %s since the starter.", b.Name, terminal.Savings(was, b))
		}
	}
	fmt.Fprintf(a.Out, "\n  Chapter: book/%s   Compare with the solution: %s diff %s\n", e.Chapter, a.Program, e.ID)
	if next := a.Catalog.Next(e.ID); next != nil {
		fmt.Fprintf(a.Out, "  Next: %s, %s   %s %s\n", next.ID, next.Title, a.Program, next.ID)
	} else {
		fmt.Fprintf(a.Out, "  That was the last exercise of the list. To see which are left: %s list\n", a.Program)
	}
}

// improvement compares what the solution allocates with the last check that measured it. It returns "" if it does not
// allocate less.
func improvement(v *verdict.Verdict, before *workspace.State) string {
	for _, b := range v.Benchmarks {
		i := slices.IndexFunc(before.Last, func(f exercise.Figure) bool { return f.Name == b.Name })
		if i >= 0 && b.AllocsPerOp < before.Last[i].AllocsPerOp {
			return fmt.Sprintf("Closer: %s at the last check, %s now.",
				verdict.FormatAllocs(before.Last[i].AllocsPerOp), verdict.FormatCount(b.AllocsPerOp))
		}
	}
	return ""
}

// A progressSaver saves verdicts as they come. If the progress file is broken or locked, it tries once more at the end.
// A failure to save is a warning and not an error, because the verdicts are valid all the same.
type progressSaver struct {
	workspace *workspace.Workspace
	warn      func(error)
	unsaved   []func(*workspace.Progress)
	warned    error // the last warning
}

// state returns the progress in an exercise before its verdict.
func (s *progressSaver) state(id string) *workspace.State {
	progress, err := s.workspace.Progress()
	if err != nil {
		return &workspace.State{} // add warns of it
	}
	return progress.Of(id)
}

func (s *progressSaver) add(id string, v *verdict.Verdict) {
	s.unsaved = append(s.unsaved, func(p *workspace.Progress) { p.Of(id).Add(v) })
	if s.warned == nil {
		s.save()
	}
}

func (s *progressSaver) close() {
	if len(s.unsaved) > 1 { // a single one was tried a moment ago
		s.save()
	}
}

func (s *progressSaver) save() {
	err := s.workspace.ChangeProgress(func(p *workspace.Progress) {
		for _, change := range s.unsaved {
			change(p)
		}
	})
	switch {
	case err == nil:
		s.unsaved = nil
	case s.warned == nil || s.warned.Error() != err.Error():
		s.warned = err
		s.warn(err)
	}
}
