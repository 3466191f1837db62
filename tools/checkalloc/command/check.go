package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/present/export"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// check is the command without a name: it checks exercises, or prints the progress if none is named.
func (c *cli) check() spec {
	call := &checkCall{cli: c}
	return spec{
		use: c.Name, short: "check solutions of the workbook's exercises", example: "checkalloc exercise1",
		forms: "\tshow your progress and the next exercise\n" +
			"EXERCISE... | all\tcheck one exercise, several, or all",
		codes: checkCodes,
		complete: func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			names := c.exerciseNames(args, prefix)
			if len(args) == 0 && strings.HasPrefix(all, prefix) {
				names = append(names, cobra.CompletionWithDesc(all, "all exercises"))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Verbose, "verbose", false, "show each line that allocates, also lines that are alike")
			f.StringVar(&call.format, "format", "",
				"print one document for graders, in format `NAME`: junit, gradescope, classroom50 or exercism")
			f.IntVar(&call.points, "points", 0,
				"with --format: give `N` points for all exercises together (default: 1 each)")
			complete(cmd, "format", completeWords(export.Formats()...))
		},
		do: call.run,
	}
}

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
		return app.ExitPassed, c.overview()
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
	defer app.PrepareBuilds(ctx, checker, exercises)()
	saver := &progressSaver{Workspace: w, out: c.Err, program: c.Name}
	defer func() {
		if len(saver.unsaved) > 1 { // a single one was tried a moment ago
			saver.save()
		}
	}()

	points := export.Split(cmp.Or(c.points, len(exercises)), len(exercises))
	var results []export.Result
	line := printable.NewStatusLine(c.Err)
	// Running checks in parallel slows them down, but no verdict depends on time, and they allocate the same.
	for i, wait := range execution.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (checked, error) {
		return checkFiles(ctx, checker, w, exercises[i])
	}) {
		e, position := exercises[i], ""
		if len(exercises) > 1 {
			position = fmt.Sprintf(", %d of %d", i+1, len(exercises))
		}
		line.Show("checking %s%s", e.ID, position)
		stop := line.After(3*time.Second, func() string {
			return fmt.Sprintf("checking %s … (%s)", e.ID, c.Busy(checker))
		})
		r, err := wait()
		stop()
		line.Clear()
		if err != nil {
			if err = app.HideTempFiles(err); ctx.Err() != nil || !export.TakesErrors(c.format) {
				return 0, err
			}
		} else {
			if err := c.show(e, r, i, len(exercises) > 1, saver); err != nil {
				return 0, err
			}
			saver.add(r.verdict)
		}
		results = append(results, export.Result{
			Exercise: e.ID, Title: e.Title, Points: points[i], Verdict: r.verdict, Err: err, Time: r.took,
		})
	}
	return c.conclude(results, submission)
}

// all is the argument that means every exercise.
const all = "all"

// named returns the exercises that the arguments name.
func (c *checkCall) named(args []string) (exercises exercise.Catalog, err error) {
	if len(args) == 1 && strings.EqualFold(args[0], all) {
		return c.Catalog, nil
	}
	for i, arg := range args {
		e := c.Catalog.Lookup(app.ExerciseID(arg))
		if e == nil {
			return nil, c.noSuchName(args, i)
		}
		exercises = append(exercises, e)
	}
	return exercises, nil
}

// show shows the ith result, unless it is for a document, which conclude writes. Where to go on is said after a single
// one only.
func (c *checkCall) show(e *exercise.Exercise, r checked, i int, several bool, saver *progressSaver) error {
	switch {
	case c.JSON:
		return c.JSONEncoder().Encode(r.verdict)
	case c.format != "":
		return nil
	case i > 0:
		fmt.Fprintln(c.Out)
	}
	before, _ := saver.State(e) // saver warns of an error
	c.PrintVerdict(e, r.verdict, r.files, before)
	if r.verdict.Pass && !several {
		progress, _ := saver.Progress() // saver warns of an error
		c.PrintNext(e, progress)
	}
	return nil
}

// conclude writes what is about all results, and returns the exit code.
func (c *checkCall) conclude(results []export.Result, submission *export.Submission) (code int, err error) {
	var notYet, provisional []string
	var unchecked error // the first; the document has all
	for _, r := range results {
		switch {
		case r.Err != nil:
			unchecked = cmp.Or(unchecked, r.Err)
		case !r.Verdict.Pass:
			notYet = append(notYet, r.Exercise)
		case r.Verdict.Provisional != "":
			provisional = append(provisional, r.Exercise)
		}
	}
	switch {
	case c.format != "":
		err = export.Write(c.Raw, c.format, results, submission)
	case len(results) > 1 && !c.JSON:
		text := fmt.Sprintf("%d of %d passed.", len(results)-len(notYet), len(results))
		if len(notYet) > 0 {
			text += " Not yet: " + strings.Join(notYet, ", ")
		}
		if len(provisional) > 0 {
			text += "\nProvisional, without the race detector: " + strings.Join(provisional, ", ")
		}
		fmt.Fprintln(c.Out)
		c.Say(2, text)
	}
	return app.Code(len(notYet) == 0 || export.GradedIsSuccess(c.format)), cmp.Or(err, unchecked)
}

// A checked is the verdict on the reader's files of an exercise.
type checked struct {
	files   map[string][]byte
	verdict *verdict.Verdict
	took    time.Duration
}

// checkFiles checks the reader's files of an exercise. A file that may not be read fails this exercise alone.
func checkFiles(
	ctx context.Context, checker verdict.Checker, w *workspace.Workspace, e *exercise.Exercise,
) (r checked, err error) {
	defer func(start time.Time) { r.took = time.Since(start) }(time.Now())
	r.files, err = w.Files(e.ID)
	var refused *safefile.Refused
	switch {
	case errors.As(err, &refused):
		r.verdict, err = checker.Refused(e, strings.TrimPrefix(refused.Name, e.Dir()+"/"), refused.Why), nil
	case err == nil:
		r.verdict, err = checker.Check(ctx, e, r.files)
	}
	return r, err
}

// A progressSaver saves verdicts as they come. If the progress file is broken or locked, it tries once more at the end.
// A failure to save is a warning and not an error, because the verdicts are valid all the same.
type progressSaver struct {
	*workspace.Workspace
	out     io.Writer // for warnings
	program string
	unsaved []*verdict.Verdict
	warned  string // the last warning
}

func (s *progressSaver) add(v *verdict.Verdict) {
	s.unsaved = append(s.unsaved, v)
	if s.warned == "" {
		s.save()
	}
}

func (s *progressSaver) save() {
	err := s.ChangeProgress(func(p *workspace.Progress) {
		for _, v := range s.unsaved {
			p.Of(v.Exercise).Add(v)
		}
	})
	switch {
	case err == nil:
		s.unsaved = nil
	case s.warned != err.Error():
		s.warned = err.Error()
		fmt.Fprintf(s.out, "%s: %s\n", s.program, printable.Text(s.warned))
	}
}

// checkFormat returns an error for wrong usage of --format and --points in a check of these exercises.
func (c *checkCall) checkFormat(exercises exercise.Catalog) error {
	switch {
	case c.format == "" && c.points == 0:
		return nil
	case c.format == "":
		return app.Usagef("--points needs --format gradescope or classroom50")
	case !slices.Contains(export.Formats(), c.format):
		return app.Usagef("--format %s: choose one of %s", c.format, strings.Join(export.Formats(), ", "))
	case c.JSON:
		return app.Usagef("use --json or --format, not both")
	case c.points != 0 && !export.HasPoints(c.format):
		return app.Usagef("--points: format %s has no points", c.format)
	case len(exercises) == 0:
		return app.Usagef("--format needs exercises to check: \"%s all --format %s\"", c.Program, c.format)
	case c.points != 0 && c.points < len(exercises):
		return app.Usagef("--points %d: %d exercises need at least 1 each", c.points, len(exercises))
	}
	for i, e := range exercises {
		if slices.Contains(exercises[:i], e) { // it would count twice
			return app.Usagef("%s is named twice", e.ID)
		}
	}
	return nil
}

// submission returns the submission that Classroom 50's runner describes, and nil for other formats.
func (c *checkCall) submission() (*export.Submission, error) {
	if c.format != export.Classroom50 {
		return nil, nil
	}
	s, err := export.SubmissionFrom(os.Getenv, time.Now())
	if err != nil {
		return nil, app.UsageError(err.Error())
	}
	return s, nil
}
