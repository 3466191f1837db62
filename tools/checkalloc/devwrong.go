package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"runtime"

	"onthestack/internal/exercise"
	"onthestack/internal/parallel"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
	"onthestack/internal/wrongturn"
	"onthestack/tools/checkalloc/workspace"
)

// A try is one wrong turn of an exercise, to be measured.
type try struct {
	exercise *exercise.Exercise
	turn     wrongturn.Turn
}

func (t try) name() string { return wrongturn.Path(t.exercise.ID, t.turn.Name) }

// Tests draw their inputs, so a test that failed once may pass the next time. What is written down failed each of so many times;
// a check looks again where one of these does not fail.
const (
	timesWritten = 10
	timesChecked = 4
)

// enough reports whether the verdicts of a wrong turn will do: to write them down, or to compare them with what is written.
func (t try) enough(verdicts []*verdict.Verdict, written *wrongturn.Measured) bool {
	switch v := verdicts[0]; {
	case v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild:
		return true // the same each time
	case written == nil && v.Stage == verdict.StageTests:
		return len(verdicts) == timesWritten
	case written == nil:
		return len(verdicts) == 3
	case v.Stage != verdict.StageTests || len(verdicts) == timesChecked:
		return true
	}
	old, _ := written.Of(t.exercise.ID, t.turn.Name)
	failed := wrongturn.Of(verdicts[0])
	for _, v := range verdicts[1:] {
		failed = failed.Or(wrongturn.Of(v))
	}
	return len(old.Outcome.And(failed).Failed) == len(old.Outcome.Failed)
}

// devWrongTurns measures the wrong turns of the exercises, or of those named, and writes what they give, or with --check proves
// that they still give what is written: exit code 1 where one does not.
func (c *command) devWrongTurns(ctx context.Context, w *workspace.Workspace, ids []string) (int, error) {
	if c.engine != "native" {
		return 0, usageError("dev wrongturns measures natively: leave out --engine")
	}
	exercises, err := load(w, ids)
	if err != nil {
		return 0, err
	}
	tries, problems, err := wrongTurns(w, exercises)
	if err != nil {
		return 0, err
	}
	name := filepath.Join(w.Root, "book", filepath.FromSlash(wrongturn.File))
	var written *wrongturn.Measured
	if c.onlyCheck || len(ids) > 0 {
		written, err = wrongturn.ReadMeasured(os.DirFS(filepath.Join(w.Root, "book")))
		if err != nil && (c.onlyCheck || !errors.Is(err, os.ErrNotExist)) {
			return 0, err
		}
	}
	compared := written
	if !c.onlyCheck {
		compared = nil
	}
	measured, wrong, err := c.measureTurns(ctx, tries, compared)
	if err != nil {
		return 0, err
	}
	problems = append(problems, wrong...)
	if c.onlyCheck {
		problems = append(problems, stillTrue(w, written, measured, exercises, len(ids) == 0)...)
	} else if len(problems) == 0 {
		if written != nil { // what was not measured now stays
			for id, turns := range written.Exercises {
				if _, now := measured.Exercises[id]; !now {
					measured.Exercises[id] = turns
				}
			}
		}
		if err := measured.Write(name); err != nil {
			return 0, err
		}
	}
	for _, p := range problems {
		fmt.Fprintln(c.out, p)
	}
	if len(problems) > 0 {
		return exitNotYet, nil
	}
	fmt.Fprintf(c.out, "%d wrong turns: ok\n", len(tries))
	return exitPassed, nil
}

// wrongTurns reads the wrong turns of exercises. An exercise without one is a problem.
func wrongTurns(w *workspace.Workspace, exercises []*exercise.Exercise) (tries []try, problems []string, err error) {
	root := os.DirFS(w.Root)
	for _, e := range exercises {
		turns, err := wrongturn.Read(root, e.ID)
		if err != nil {
			return nil, nil, err
		}
		if len(turns) == 0 {
			problems = append(problems, wrongturn.Dir(e.ID)+": no wrong turn: write down what people try")
		}
		for _, t := range turns {
			tries = append(tries, try{e, t})
		}
	}
	return tries, problems, nil
}

// measureTurns checks each of the changes as often as it takes to write its verdict down, or to compare it with what is written. What
// is none that people could try is a problem.
func (c *command) measureTurns(ctx context.Context, tries []try, written *wrongturn.Measured) (m *wrongturn.Measured, problems []string, err error) {
	checker := c.checker()
	tools := toolchain.New(toolchain.DefaultLimits())
	var imports []string
	for _, t := range tries {
		imports = append(imports, t.exercise.Dependencies()...)
	}
	prepared, err := tools.Prepare(ctx, imports...)
	if err != nil {
		return nil, nil, err
	}
	defer prepared.Close()
	checker.Builder = prepared

	type result struct {
		verdicts []*verdict.Verdict
		problem  string
		err      error
	}
	m = &wrongturn.Measured{By: wrongturn.Command, Platform: runtime.GOOS + "/" + runtime.GOARCH, Exercises: map[string][]wrongturn.Judged{}}
	for i, wait := range parallel.InOrder(ctx, len(tries), func(ctx context.Context, i int) (r result) {
		t := tries[i]
		files, err := t.turn.Apply(t.exercise.Starter())
		if err != nil {
			r.problem = err.Error()
			return r
		}
		if text, err := format.Source(files[t.turn.File]); err == nil && !bytes.Equal(text, files[t.turn.File]) {
			r.problem = "gofmt would change what comes of it"
			return r
		}
		for len(r.verdicts) == 0 || !t.enough(r.verdicts, written) {
			v, err := checker.Check(ctx, t.exercise, files)
			if err != nil {
				r.err = fmt.Errorf("%s: %w", t.name(), err)
				return r
			}
			r.verdicts = append(r.verdicts, v)
		}
		return r
	}) {
		r, t := wait(), tries[i]
		if r.err != nil {
			return nil, nil, r.err
		}
		problem := func(format string, args ...any) {
			problems = append(problems, t.name()+": "+fmt.Sprintf(format, args...))
		}
		if r.problem != "" {
			problem("%s", r.problem)
			continue
		}
		outcome := wrongturn.Of(r.verdicts[0])
		for _, v := range r.verdicts[1:] {
			now := wrongturn.Of(v)
			if written != nil {
				outcome = outcome.Or(now)
				continue
			}
			if outcome = outcome.And(now); outcome.Against(now) != "" {
				problem("it is not the same each time: %s", outcome.Against(now))
			}
		}
		switch {
		case outcome.Stage == "":
			problem("it passes: it is no wrong turn")
		case outcome.Stage == verdict.StageTests && len(outcome.Failed) == 0:
			problem("no test fails each time: choose another, or a clearer one")
		}
		if v := r.verdicts[0]; m.Go == "" {
			m.Go = v.Go
		}
		m.Exercises[t.exercise.ID] = append(m.Exercises[t.exercise.ID], wrongturn.Judged{Turn: t.turn, Outcome: outcome})
	}
	return m, problems, nil
}

// stillTrue compares what is written with what was measured now. Reasons are the compiler's words, so they are compared on one release.
func stillTrue(w *workspace.Workspace, written, now *wrongturn.Measured, exercises []*exercise.Exercise, all bool) (problems []string) {
	again := fmt.Sprintf(": run %q", wrongturn.Command)
	known := map[string]bool{}
	for _, e := range exercises {
		known[e.ID] = true
		for _, t := range now.Exercises[e.ID] {
			name := wrongturn.Path(e.ID, t.Name)
			old, ok := written.Of(e.ID, t.Name)
			if written.Go != now.Go {
				old.Outcome.Lines, old.Outcome.Errors = t.Outcome.Lines, t.Outcome.Errors
			}
			switch change := old.Outcome.Against(t.Outcome); {
			case !ok:
				problems = append(problems, name+" is not measured"+again)
			case old.Turn != t.Turn:
				problems = append(problems, name+" was changed since it was measured"+again)
			case change != "":
				problems = append(problems, name+": "+change+again)
			}
		}
		for _, t := range written.Exercises[e.ID] {
			name := wrongturn.Path(e.ID, t.Name)
			if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(name))); err != nil {
				problems = append(problems, name+" is measured and not there"+again)
			}
		}
	}
	for id := range written.Exercises {
		if all && !known[id] {
			problems = append(problems, id+" has measured wrong turns and is not there"+again)
		}
	}
	return problems
}
