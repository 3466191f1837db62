package author

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"runtime"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// A try is one misconception of an exercise, which is to be measured.
type try struct {
	exercise *exercise.Exercise
	change   bookdata.Misconception
}

func (t try) name() string { return bookdata.MisconceptionPath(t.exercise.ID, t.change.Name) }

// Tests are randomized, so a test that failed may pass the next time. The stored results have the tests that failed in
// each of writtenRuns runs. A check runs up to checkedRuns times, until all of these have failed.
const (
	writtenRuns = 10
	checkedRuns = 4
)

// enough reports whether these verdicts suffice to store a result, if written is nil, or to compare with the stored
// one.
func (t try) enough(verdicts []*verdict.Verdict, written *bookdata.MeasuredMisconceptions) bool {
	switch v := verdicts[0]; {
	case v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild:
		return true // the verdict is deterministic
	case written == nil && v.Stage == verdict.StageTests:
		return len(verdicts) == writtenRuns
	case written == nil:
		return len(verdicts) == 3
	case v.Stage != verdict.StageTests || len(verdicts) == checkedRuns:
		return true
	}
	old, _ := written.Of(t.exercise.ID, t.change.Name)
	failed := bookdata.MisconceptionResultOf(verdicts[0])
	for _, v := range verdicts[1:] {
		failed = failed.Union(bookdata.MisconceptionResultOf(v))
	}
	return len(old.Result.Intersect(failed).Failed) == len(old.Result.Failed)
}

// Misconceptions measures the misconceptions of the exercises that are named, or of all, and stores their verdicts.
// With OnlyCheck it compares the verdicts with the stored ones instead. The exit code is 1 if there is a problem.
func (a *Author) Misconceptions(ctx context.Context, ids []string) (int, error) {
	if a.Engine == app.Wasm || a.Engine == app.Confined {
		return 0, app.Usagef("dev misconceptions measures natively: leave out --engine")
	}
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	tries, problems, err := a.readTries(exercises)
	if err != nil {
		return 0, err
	}
	name := filepath.Join(a.Clone.Root, "book", filepath.FromSlash(bookdata.MisconceptionsFile))
	var written *bookdata.MeasuredMisconceptions
	if a.OnlyCheck || len(ids) > 0 {
		written, err = bookdata.ReadMeasuredMisconceptions(os.DirFS(filepath.Join(a.Clone.Root, "book")))
		if err != nil && (a.OnlyCheck || !errors.Is(err, os.ErrNotExist)) {
			return 0, err
		}
	}
	compared := written
	if !a.OnlyCheck {
		compared = nil
	}
	measured, wrong, err := a.measureTries(ctx, tries, compared)
	if err != nil {
		return 0, err
	}
	problems = append(problems, wrong...)
	if a.OnlyCheck {
		problems = append(problems, a.compareWritten(written, measured, exercises, len(ids) == 0)...)
	} else if len(problems) == 0 {
		if written != nil { // the other exercises keep their verdicts
			for id, changes := range written.Exercises {
				if _, now := measured.Exercises[id]; !now {
					measured.Exercises[id] = changes
				}
			}
		}
		if err := measured.Write(name); err != nil {
			return 0, err
		}
	}
	for _, p := range problems {
		fmt.Fprintln(a.Out, p)
	}
	if len(problems) > 0 {
		return app.ExitNotYet, nil
	}
	fmt.Fprintf(a.Out, "%d likely mistakes: ok\n", len(tries))
	return app.ExitPassed, nil
}

// readTries reads the misconceptions of exercises. An exercise without one is a problem.
func (a *Author) readTries(exercises []*exercise.Exercise) (tries []try, problems []string, err error) {
	for _, e := range exercises {
		files, err := a.Clone.Misconceptions(e.ID)
		if err != nil {
			return nil, nil, err
		}
		changes, err := bookdata.ParseMisconceptions(e.ID, files)
		if err != nil {
			return nil, nil, err
		}
		if len(changes) == 0 {
			problems = append(problems, bookdata.MisconceptionDir(e.ID)+
				": there is no likely mistake yet: add one")
		}
		for _, t := range changes {
			tries = append(tries, try{e, t})
		}
	}
	return tries, problems, nil
}

// measureTries checks each misconception until enough returns true. A change that does not apply, that gofmt would
// format differently, or that passes is a problem.
func (a *Author) measureTries(
	ctx context.Context,
	tries []try,
	written *bookdata.MeasuredMisconceptions,
) (m *bookdata.MeasuredMisconceptions, problems []string, err error) {
	checker := a.Checker()
	tools := build.New(build.DefaultLimits())
	var imports []string
	for _, t := range tries {
		imports = append(imports, t.exercise.Dependencies()...)
	}
	if err := tools.Prepare(ctx, imports...); err != nil {
		return nil, nil, err
	}
	defer tools.Close()
	checker.Builder = tools

	type result struct {
		verdicts []*verdict.Verdict
		problem  string
	}
	m = &bookdata.MeasuredMisconceptions{
		By:        bookdata.MisconceptionsCommand,
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Exercises: map[string][]bookdata.MeasuredMisconception{},
	}
	for i, wait := range execution.InOrder(ctx, len(tries), func(ctx context.Context, i int) (r result, _ error) {
		t := tries[i]
		files, err := t.change.Apply(t.exercise.Starter())
		if err != nil {
			r.problem = err.Error()
			return r, nil
		}
		if text, err := format.Source(files[t.change.File]); err == nil && !bytes.Equal(text, files[t.change.File]) {
			r.problem = "gofmt would format the changed file differently"
			return r, nil
		}
		for len(r.verdicts) == 0 || !t.enough(r.verdicts, written) {
			v, err := checker.Check(ctx, t.exercise, files)
			if err != nil {
				return r, fmt.Errorf("%s: %w", t.name(), err)
			}
			r.verdicts = append(r.verdicts, v)
		}
		return r, nil
	}) {
		t := tries[i]
		r, err := wait()
		if err != nil {
			return nil, nil, err
		}
		problem := func(format string, args ...any) {
			problems = append(problems, t.name()+": "+fmt.Sprintf(format, args...))
		}
		if r.problem != "" {
			problem("%s", r.problem)
			continue
		}
		outcome := outcomeOf(r.verdicts, written != nil, problem)
		if v := r.verdicts[0]; m.Go == "" {
			m.Go = v.Go
		}
		m.Exercises[t.exercise.ID] = append(
			m.Exercises[t.exercise.ID],
			bookdata.MeasuredMisconception{Misconception: t.change, Result: outcome},
		)
	}
	return m, problems, nil
}

// outcomeOf joins the verdicts on a change: to what one of them had, for a comparison with stored results, or else to
// what all of them had. It reports what is wrong with the change.
func outcomeOf(
	verdicts []*verdict.Verdict, compare bool, problem func(format string, args ...any),
) bookdata.MisconceptionResult {
	outcome := bookdata.MisconceptionResultOf(verdicts[0])
	for _, v := range verdicts[1:] {
		now := bookdata.MisconceptionResultOf(v)
		if compare {
			outcome = outcome.Union(now)
			continue
		}
		if outcome = outcome.Intersect(now); outcome.Difference(now) != "" {
			problem("its verdict is not the same each time: %s", outcome.Difference(now))
		}
	}
	switch {
	case outcome.Stage == "":
		problem("it passes, so it is not a mistake")
	case outcome.Stage == verdict.StageTests && len(outcome.Failed) == 0:
		problem("no test fails each time: choose a change that always fails")
	}
	return outcome
}

// compareWritten compares the stored results with the new ones. It compares lines and errors only if the release of Go
// is the same, because they quote the compiler.
func (a *Author) compareWritten(
	written, now *bookdata.MeasuredMisconceptions, exercises []*exercise.Exercise, all bool,
) (problems []string) {
	again := fmt.Sprintf(": run %q", bookdata.MisconceptionsCommand)
	known := map[string]bool{}
	for _, e := range exercises {
		known[e.ID] = true
		for _, t := range now.Exercises[e.ID] {
			name := bookdata.MisconceptionPath(e.ID, t.Name)
			old, ok := written.Of(e.ID, t.Name)
			if written.Go != now.Go {
				old.Result.Lines, old.Result.Errors = t.Result.Lines, t.Result.Errors
			}
			switch change := old.Result.Difference(t.Result); {
			case !ok:
				problems = append(problems, name+" is not measured"+again)
			case old.Misconception != t.Misconception:
				problems = append(problems, name+" was changed since it was measured"+again)
			case change != "":
				problems = append(problems, name+": "+change+again)
			}
		}
		for _, t := range written.Exercises[e.ID] {
			name := bookdata.MisconceptionPath(e.ID, t.Name)
			if _, err := os.Stat(filepath.Join(a.Clone.Root, filepath.FromSlash(name))); err != nil {
				problems = append(problems, name+" has a stored result but no file"+again)
			}
		}
	}
	for id := range written.Exercises {
		if all && !known[id] {
			problems = append(problems, id+" has stored likely mistakes but no folder"+again)
		}
	}
	return problems
}
