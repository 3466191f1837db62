package author

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// reviewFile lists the mutants that survive, slash-separated from the repository's root.
const reviewFile = "solutions/mutants.txt"

// Bounds on a mutant's process. Several run at once, and some loop.
const (
	// mutantMemory bounds the address space, in bytes. Go's runtime reserves about 1 GiB before it uses any.
	mutantMemory = 2 << 30
	// mutantProcessor bounds the processor time, as a multiple of the time that the check of the solution took. The
	// limits of wall-clock time stay as they are for any check, so that a busy machine kills no mutant.
	mutantProcessor = 5
)

// Mutants runs the mutants of the exercises that are named, or of all, and records them with Record. The exit code is 1
// if too many survive; nothing is recorded then.
func (a *Author) Mutants(ctx context.Context, ids []string) (int, error) {
	if a.Engine == app.Wasm || a.Engine == app.Confined {
		return 0, app.Usagef("dev mutants runs natively: leave out --engine")
	}
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	good, err := a.mutants(ctx, exercises)
	if err == nil && good && a.Record {
		err = a.recordSums(exercises, len(ids) == 0)
	}
	return app.Code(good), err
}

// mutants runs the mutants of exercises on the installed Go, prints the score of each exercise, and reports whether all
// scores are good enough.
func (a *Author) mutants(ctx context.Context, exercises []*exercise.Exercise) (good bool, err error) {
	cache, err := a.cache()
	if err != nil {
		return false, err
	}
	review, err := a.readReview()
	if err != nil {
		return false, err
	}
	tools := build.New(build.DefaultLimits())
	release, err := tools.Version()
	if err != nil {
		return false, err
	}
	checker := verdict.Checker{Builder: tools, Runner: sandbox.Native{Limits: a.Limits}}
	defer app.PrepareBuilds(ctx, checker, exercises)()
	good = true
	for _, e := range exercises {
		j := judge{exercise: e, findings: review[e.ID], checker: checker, limits: a.Limits, tools: tools}
		statuses, err := j.statuses(ctx, cache, release)
		if err != nil {
			return false, fmt.Errorf("the mutants of %s: %w", e.ID, err)
		}
		good = a.tellScore(e, tally(j.mutants, statuses, j.findings)) && good
	}
	for id := range review {
		if !a.exists(id) {
			fmt.Fprintf(a.Out, "%s: %s is listed, but there is no such exercise\n", reviewFile, id)
			good = false
		}
	}
	return good, nil
}

// readReview reads the workbook's review of mutants. A clone without one has nothing reviewed.
func (a *Author) readReview() (review, error) {
	text, err := a.readFile(reviewFile)
	if err != nil {
		return nil, err
	}
	review, err := parseReview(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reviewFile, err)
	}
	return review, nil
}

// tellScore prints the score of e with the mutants that survive, and reports whether it is good enough.
func (a *Author) tellScore(e *exercise.Exercise, s score) bool {
	good := s.enough() && len(s.problems) == 0
	fmt.Fprintf(a.Out, "%s: %d of %d mutants killed", e.ID, s.killed, s.total)
	if s.equivalent > 0 {
		fmt.Fprintf(a.Out, "; %d more are equivalent", s.equivalent)
	}
	fmt.Fprintln(a.Out)
	for _, m := range s.survivors {
		reason := m.reason
		if reason == "" {
			good = false
			reason = fmt.Sprintf("not listed: strengthen the tests, or list the line above with its reason in %s",
				reviewFile)
		}
		fmt.Fprintf(a.Out, "  line %d survives: %s\n    %s\n", m.line, m.key(), reason)
	}
	for _, p := range s.problems {
		fmt.Fprintf(a.Out, "  %s, %s\n", reviewFile, p)
	}
	if !s.enough() {
		fmt.Fprintf(a.Out, "  At least %d of 100 mutants have to be killed: strengthen the tests.\n",
			threshold)
	}
	return good
}

// A judge has the mutants of one exercise checked by the exercise's own tests and benchmarks.
type judge struct {
	exercise *exercise.Exercise
	findings map[string]finding
	checker  verdict.Checker // for the solution
	limits   sandbox.Limits
	tools    *build.Toolchain
	mutants  []mutant
}

// statuses returns the status of each mutant, if possible from the cache.
func (j *judge) statuses(ctx context.Context, cache *resultcache.Cache, release string) ([]status, error) {
	for _, name := range slices.Sorted(maps.Keys(j.exercise.Solution)) {
		mutants, err := mutantsOf(j.exercise.Solution[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range mutants {
			m.file = name
			j.mutants = append(j.mutants, m)
		}
	}
	name, archive, err := exercise.SealWithoutFigures(j.exercise)
	if err != nil {
		return nil, err
	}
	sources := sha256.New() // in place of the code that makes the mutants
	for _, m := range j.mutants {
		fmt.Fprintf(sources, "%q\n", m.source)
	}
	return resultcache.Get(cache, func() ([]status, bool, error) {
		statuses, err := j.runAll(ctx)
		return statuses, true, err
	}, "mutants", release, name, archive, sources.Sum(nil), slices.Sorted(maps.Keys(j.findings)))
}

// runAll runs each mutant and returns their statuses.
func (j *judge) runAll(ctx context.Context) ([]status, error) {
	begin := time.Now()
	v, err := j.checker.Check(ctx, j.exercise, j.exercise.Solution)
	if err != nil {
		return nil, err
	}
	if !v.Pass {
		return nil, fmt.Errorf("the solution does not pass: %s", failure(v))
	}
	runner := sandbox.Native{Limits: j.limits, FailFast: true, Process: execution.ProcessLimits{
		CPU: max(time.Second, (mutantProcessor * time.Since(begin)).Round(time.Second)), Memory: mutantMemory,
	}}
	statuses := make([]status, len(j.mutants))
	for i, wait := range execution.InOrder(ctx, len(j.mutants), func(ctx context.Context, i int) (status, error) {
		return j.confirmed(ctx, runner, i)
	}) {
		if statuses[i], err = wait(); err != nil {
			return nil, fmt.Errorf("%s: %w", j.mutants[i].key(), err)
		}
	}
	return statuses, nil
}

// tries is how often a mutant is run if its status contradicts the review.
const tries = 3

// confirmed runs a mutant and returns its status. Tests are randomized, so a mutant is run again if it survives
// although the review does not list it, or if it is killed although the review calls it equivalent.
func (j *judge) confirmed(ctx context.Context, runner verdict.Runner, i int) (status status, err error) {
	finding, listed := j.findings[j.mutants[i].key()]
	for range tries {
		status, err = j.once(ctx, runner, i)
		if surprising := status == survived && !listed || status == killed && finding.equivalent; !surprising {
			break
		}
	}
	return status, err
}

// once checks a mutant as a solution. The race detector takes longer than everything else together, so it runs only on
// a mutant that passes everything else and is not in the review.
func (j *judge) once(ctx context.Context, runner verdict.Runner, i int) (status, error) {
	files := maps.Clone(j.exercise.Solution)
	files[j.mutants[i].file] = j.mutants[i].source
	v, err := verdict.Checker{Builder: j.tools, Runner: runner}.Check(ctx, j.exercise, files)
	switch {
	case err != nil:
		return "", err
	case v.Stage == verdict.StageBuild:
		return invalid, nil
	case !v.Pass:
		return killed, nil
	}
	if _, listed := j.findings[j.mutants[i].key()]; listed || !j.exercise.Race {
		return survived, nil
	}
	fault, err := race(ctx, j.tools, verdict.Plain(j.exercise, files))
	if err == nil && fault != "" {
		return killed, nil
	}
	return survived, err
}
