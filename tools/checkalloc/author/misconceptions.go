package author

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"runtime"

	"onthestack/internal/bookdata"
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
// each of writtenRuns runs. A check runs up to checkedRuns times, until all of these have failed. Where none is to fail,
// it also runs again after a failure, because a test that waits for something may give up on a busy machine.
const (
	writtenRuns = 10
	checkedRuns = 4
)

// enough reports whether the result of n checks suffices to store it, if written is nil, or to compare it with the
// stored one.
func (t try) enough(n int, result bookdata.MisconceptionResult, written *bookdata.MeasuredMisconceptions) bool {
	switch {
	case result.Stage == verdict.StagePolicy || result.Stage == verdict.StageBuild:
		return true // the verdict is deterministic
	case written == nil && result.Stage == verdict.StageTests:
		return n == writtenRuns
	case written == nil:
		return n == 3
	case result.Stage != verdict.StageTests || n == checkedRuns:
		return true
	}
	old, _ := written.Of(t.exercise.ID, t.change.Name)
	return old.Result.Stage == verdict.StageTests &&
		len(old.Result.Intersect(result).Failed) == len(old.Result.Failed)
}

// A measured is the result of a try and what is wrong with it.
type measured struct {
	result   bookdata.MisconceptionResult
	release  string // of Go; "" if nothing was built
	problems []string
}

// measure checks the change until enough returns true. It joins the verdicts: to what one of them had, for a comparison
// with stored results, or else to what all of them had. A change that does not apply, that gofmt would format
// differently, or that passes is a problem.
func (t try) measure(
	ctx context.Context, checker verdict.Checker, written *bookdata.MeasuredMisconceptions,
) (m measured, err error) {
	problem := func(format string, args ...any) {
		m.problems = append(m.problems, t.name()+": "+fmt.Sprintf(format, args...))
	}
	files, err := t.change.Apply(t.exercise.Starter())
	if err != nil {
		problem("%v", err)
		return m, nil
	}
	if text, err := format.Source(files[t.change.File]); err == nil && !bytes.Equal(text, files[t.change.File]) {
		problem("gofmt would format the changed file differently")
		return m, nil
	}
	for n := 0; n == 0 || !t.enough(n, m.result, written); n++ {
		v, err := checker.Check(ctx, t.exercise, files)
		if err != nil {
			return m, fmt.Errorf("%s: %w", t.name(), err)
		}
		now := bookdata.MisconceptionResultOf(v)
		switch {
		case n == 0:
			m.result, m.release = now, v.Go
		case written != nil && now.Stage != m.result.Stage:
			m.result = now
		case written != nil:
			m.result = m.result.Union(now)
		default:
			if m.result = m.result.Intersect(now); m.result.Difference(now) != "" {
				problem("its verdict is not the same each time: %s", m.result.Difference(now))
			}
		}
	}
	switch {
	case m.result.Stage == "":
		problem("it passes, so it is not a mistake")
	case m.result.Stage == verdict.StageTests && len(m.result.Failed) == 0:
		problem("no test fails each time: choose a change that always fails")
	}
	return m, nil
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
	measured, wrong, err := a.measureTries(ctx, exercises, tries, compared)
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
	if len(problems) == 0 {
		fmt.Fprintf(a.Out, "%d likely mistakes: ok\n", len(tries))
	}
	return app.Code(len(problems) == 0), nil
}

// readTries reads the misconceptions of exercises. An exercise without one is a problem.
func (a *Author) readTries(exercises []*exercise.Exercise) (tries []try, problems []string, err error) {
	for _, e := range exercises {
		files, err := a.Clone.ReadDir(bookdata.MisconceptionDir(e.ID))
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

// measureTries measures the tries.
func (a *Author) measureTries(
	ctx context.Context, exercises []*exercise.Exercise, tries []try, written *bookdata.MeasuredMisconceptions,
) (all *bookdata.MeasuredMisconceptions, problems []string, err error) {
	checker := a.Checker()
	defer app.PrepareBuilds(ctx, checker, exercises)()
	all = &bookdata.MeasuredMisconceptions{
		By:        bookdata.MisconceptionsCommand,
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Exercises: map[string][]bookdata.MeasuredMisconception{},
	}
	for i, wait := range execution.InOrder(ctx, len(tries), func(ctx context.Context, i int) (measured, error) {
		return tries[i].measure(ctx, checker, written)
	}) {
		m, err := wait()
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, m.problems...)
		if m.result.Stage != "" {
			id := tries[i].exercise.ID
			all.Go = cmp.Or(all.Go, m.release)
			all.Exercises[id] = append(all.Exercises[id],
				bookdata.MeasuredMisconception{Misconception: tries[i].change, Result: m.result})
		}
	}
	return all, problems, nil
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
