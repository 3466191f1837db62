package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// workbook returns the commands on exercises, besides the one without a name and dev.
func (c *cli) workbook() []spec {
	var spoil, yes, everyHint bool
	spoiler := func(_ *cobra.Command, f *pflag.FlagSet) {
		f.BoolVar(&spoil, "spoil", false, "show the solution even if yours has not passed; a pass is then marked")
	}
	return []spec{
		{
			use: "watch [EXERCISE]", short: "check an exercise, or the next one, on each save",
			example: "checkalloc watch exercise1", codes: "0 ended · 2 wrong usage · 3 could not watch",
			complete: c.completeExercises(1), do: c.watch,
		},
		{
			use: "list", short: "list the exercises, with what you have passed", example: "checkalloc list",
			codes:    showCodes,
			complete: cobra.NoFileCompletions, do: c.list,
		},
		{
			use: "task [EXERCISE]", short: "print the task of an exercise, or of the next one",
			example: "checkalloc task exercise1", codes: showCodes, exercise: c.task, orNext: true,
		},
		{
			use: "hint EXERCISE", short: "print a hint, and one more each time",
			example: "checkalloc hint exercise1", codes: showCodes,
			flags: func(_ *cobra.Command, f *pflag.FlagSet) {
				f.BoolVar(&everyHint, "all", false, "print all hints")
			},
			exercise: func(e *exercise.Exercise) error { return c.hint(e, everyHint) },
		},
		{
			use: "diff EXERCISE", short: "compare your code with the solution, once it has passed",
			example: "checkalloc diff exercise1", codes: showCodes, flags: spoiler,
			exercise: func(e *exercise.Exercise) error { return c.diff(e, spoil) },
		},
		{
			use: "solution EXERCISE", short: "print the solution, once yours has passed",
			example: "checkalloc solution exercise1 --spoil", codes: showCodes, flags: spoiler,
			exercise: func(e *exercise.Exercise) error { return c.printSolution(e, spoil) },
		},
		{
			use: "reset EXERCISE", short: "restore the starter, after asking, and keep a backup",
			example: "checkalloc reset exercise1",
			codes:   "0 reset · 1 left as it is · 2 wrong usage · 3 could not reset",
			flags: func(_ *cobra.Command, f *pflag.FlagSet) {
				f.BoolVar(&yes, "yes", false, "reset without asking")
			},
			exercise: func(e *exercise.Exercise) error { return c.reset(e, yes) },
		},
		{
			use: "init DIR", short: "make a workspace in DIR", example: "checkalloc init workbook",
			codes: "0 made · 2 wrong usage · 3 could not be made", complete: completeFolders, do: c.init,
		},
		c.completion(),
	}
}

// task prints the task of an exercise.
func (c *cli) task(e *exercise.Exercise) error {
	fmt.Fprintf(c.Out, "%s  %s\n\n", present.Bold.Render(e.ID), e.Title)
	app.WriteTask(c.Out, e, c.Width)
	c.Say(0, "Edit "+e.Dir()+"/"+strings.Join(e.Edit, " and ")+", then check it: "+c.Command(e.ID))
	return nil
}

// hint prints the hints so far and one more, or all. A failure to save the progress is a warning.
func (c *cli) hint(e *exercise.Exercise, every bool) error {
	w, err := c.Workspace()
	if err != nil {
		return err
	}
	shown := len(e.Hints)
	if !every {
		if shown, err = w.Hint(e); err != nil {
			c.Complain(app.HideTempFiles(err).Error() + "; the next call shows the same hint, and --all shows all hints")
			state, _ := w.State(e) // the error is in the warning
			shown = state.NextHint(e)
		}
	}
	for i, h := range e.Hints[:shown] {
		title := fmt.Sprintf("Hint %d of %d", i+1, len(e.Hints))
		text := present.Wrap(present.Prose(strings.TrimSpace(h.Text)), c.Width)
		fmt.Fprintf(c.Out, "%s\n%s\n\n", present.Bold.Render(title), text)
	}
	c.Say(0, "The compiler's report, which some hints mention: "+present.Command("go build -gcflags=-m=2 ./"+e.Dir()))
	if shown == len(e.Hints) {
		c.Say(0, "That was the last hint. The solution: "+c.Command("solution", e.ID, "--spoil"))
	}
	return nil
}

// diff compares the reader's files with the solution.
func (c *cli) diff(e *exercise.Exercise, spoil bool) error {
	w, err := c.openSolution(e, spoil)
	if err != nil {
		return err
	}
	files, err := w.Files(e.ID)
	if err == nil {
		app.WriteDiff(c.Out, e, files)
	}
	return err
}

// printSolution prints the files of an exercise's solution.
func (c *cli) printSolution(e *exercise.Exercise, spoil bool) error {
	if _, err := c.openSolution(e, spoil); err != nil {
		return err
	}
	for _, name := range e.Edit {
		if len(e.Edit) > 1 {
			fmt.Fprintf(c.Out, "-- %s --\n", name)
		}
		if _, err := c.Raw.Write(e.Solution[name]); err != nil {
			return err
		}
	}
	return nil
}

// openSolution returns the workspace if the reader may see the solution: the exercise has passed, or they asked for a
// spoiler, which is noted in the progress. A failure to save it is a warning.
func (c *cli) openSolution(e *exercise.Exercise, spoil bool) (*workspace.Workspace, error) {
	w, err := c.Workspace()
	if err != nil {
		return nil, err
	}
	state, err := w.State(e)
	if err != nil {
		return nil, err
	}
	if state.Passed == nil && !spoil {
		return nil, app.Usagef("%s has not passed yet: \"%s hint %s\" prints a hint, --spoil shows the solution anyway",
			e.ID, c.Program, e.ID)
	}
	if state.Passed == nil {
		if err := w.ChangeProgress(func(p *workspace.Progress) { p.Of(e.ID).Spoil() }); err != nil {
			c.Complain(app.HideTempFiles(err).Error())
		}
		fmt.Fprintf(c.Err, "A later pass of %s is marked as one after the solution.\n", e.ID)
	}
	return w, nil
}

// reset puts the starter back, after a question unless the reader has said yes.
func (c *cli) reset(e *exercise.Exercise, yes bool) error {
	w, err := c.Workspace()
	if err != nil {
		return err
	}
	if !yes {
		question := fmt.Sprintf("Reset %s to its starter? Your version is kept in a backup.", e.ID)
		if err := confirm(c.App, "reset", question); err != nil {
			return err
		}
	}
	switch backup, err := w.Reset(e, time.Now()); {
	case err != nil:
		return err
	case backup == "":
		fmt.Fprintf(c.Out, "%s is the starter again.\n", e.ID)
	default:
		fmt.Fprintf(c.Out, "%s is the starter again; your version is in %s\n", e.ID, backup)
	}
	return nil
}

// init makes a workspace outside the repository.
func (c *cli) init(_ context.Context, args []string) (int, error) {
	if len(args) != 1 {
		return 0, app.Usagef("init needs a folder: \"%s init DIR\"", c.Program)
	}
	outdated := (&workspace.Workspace{Root: args[0]}).Outdated(c.Catalog)
	w, err := workspace.Init(args[0], c.Catalog)
	if err != nil {
		return 0, errors.Join(app.Usagef("cannot make a workspace of %s", args[0]), err)
	}
	if outdated {
		fmt.Fprintln(c.Out, "The exercises have new numbers, and the folders in exercises/ were renamed with your code. "+
			"Backups from before keep the old numbers.")
	}
	fmt.Fprintf(c.Out, "A workspace with %d exercises is in %s.\n", len(c.Catalog), w.Root)
	if c.Program != c.Name {
		fmt.Fprintln(c.Out,
			"To use checkalloc there, run \"go install ./tools/checkalloc\": it installs to $(go env GOPATH)/bin.")
	} else {
		fmt.Fprintf(c.Out, "Go there and run %s.\n", c.Name)
	}
	return app.ExitPassed, nil
}

// list prints the exercises of the workbook. It needs no workspace.
func (c *cli) list(_ context.Context, args []string) (int, error) {
	if len(args) > 0 {
		return 0, app.Usagef("list takes no argument")
	}
	if c.JSON {
		summaries := []exercise.Summary{}
		for _, e := range c.Catalog {
			summaries = append(summaries, e.Summary())
		}
		return app.ExitPassed, c.JSONEncoder().Encode(summaries)
	}
	progress := &workspace.Progress{} // the list needs no workspace
	w, err := workspace.Find(cmp.Or(c.Dir, "."))
	if err == nil && !w.Outdated(c.Catalog) {
		progress, err = w.Progress()
	}
	if err != nil && !errors.Is(err, workspace.ErrNone) {
		return 0, err
	}
	table, levels := app.NewTable(c.Catalog), 0
	for _, e := range c.Catalog {
		levels = max(levels, len(e.Level))
	}
	for _, e := range c.Catalog {
		mark, _ := standing(e, progress.Of(e.ID))
		name, targets := table.Row(e)
		fmt.Fprintf(c.Out, "%s %s%s%-*s  %s\n", mark, name, targets, levels, e.Level, e.Chapter)
	}
	return app.ExitPassed, nil
}

// standing returns a mark and words for how far the reader is with an exercise: a blank and "" if it was not checked.
func standing(e *exercise.Exercise, state *workspace.State) (mark, words string) {
	switch {
	case state.Passed != nil:
		return "✓", state.Standing()
	case len(state.Last) > 0:
		return "·", "at " + app.Figure(e, state.Last[0])
	}
	return " ", ""
}

// fixedIn returns the first patch of a release's minor version that has no miscompilation of slices in the frame
// (https://go.dev/issue/79909 and 81612), "" if the release has none.
func fixedIn(release string) string {
	patch := map[string]string{"go1.26": "go1.26.9", "go1.27": "go1.27.2"}[goversion.Lang(release)]
	if goversion.Compare(release, patch) >= 0 {
		return ""
	}
	return patch
}

// overview prints the reader's progress chapter by chapter, and the task of the next exercise. It also warns of a
// release of Go that miscompiles, because this is what most readers see first.
func (c *cli) overview() error {
	w, err := c.Workspace()
	if err != nil {
		return err
	}
	if release, err := build.New(build.DefaultLimits()).Version(); err == nil && fixedIn(release) != "" {
		fmt.Fprintf(c.Err, "%s miscompiles some programs that append to a slice: use %s or newer "+
			"(https://go.dev/issue/81612)\n", release, fixedIn(release))
	}
	progress, err := w.Progress()
	if err != nil {
		return err
	}
	table := app.NewTable(c.Catalog)
	next, chapter, passed := progress.Next(c.Catalog), "", 0
	for _, e := range c.Catalog {
		if e.Chapter != chapter {
			chapter = e.Chapter
			fmt.Fprintf(c.Out, "%s\n", present.Bold.Render(chapter))
		}
		state := progress.Of(e.ID)
		if state.Passed != nil {
			passed++
		}
		mark, text := standing(e, state)
		name, targets := table.Row(e)
		fmt.Fprintln(c.Out, strings.TrimRight("  "+mark+" "+name+targets+text, " "))
	}
	fmt.Fprintf(c.Out, "\n%d of %d passed.", passed, len(c.Catalog))
	if next == nil {
		fmt.Fprintln(c.Out)
		return nil
	}
	fmt.Fprint(c.Out, " The next one:\n\n")
	return c.task(next)
}
