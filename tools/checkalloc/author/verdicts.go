package author

import (
	"context"
	"fmt"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// Verdicts prints the verdicts on all starters or on all solutions, one JSON object a line. Tests compare the verdicts
// of the page's engine with them.
func (a *Author) Verdicts(ctx context.Context, args []string) (int, error) {
	filesOf := map[string]func(*exercise.Exercise) map[string][]byte{
		"starter":  (*exercise.Exercise).Starter,
		"solution": func(e *exercise.Exercise) map[string][]byte { return e.Solution },
	}
	if len(args) != 1 || filesOf[args[0]] == nil {
		return 0, app.Usagef(
			"dev verdicts needs an argument: \"checkalloc dev verdicts starter\" or \"checkalloc dev verdicts " +
				"solution\"",
		)
	}
	exercises, err := a.load(nil)
	if err != nil {
		return 0, err
	}
	release, err := build.New(build.DefaultLimits()).Version()
	if err != nil {
		return 0, err
	}
	patient := *a.App
	patient.Limits.Time *= 3 // so that a busy machine gives the same verdicts
	checker := resultcache.Checker{Checker: patient.Checker(), Go: release}
	checker.Racer = nil // not all engines have a race detector
	if checker.Cache, err = a.cache(resultcache.VerdictCode()...); err != nil {
		return 0, err
	}
	out := a.JSONEncoder()
	for i, wait := range execution.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (*verdict.Verdict, error) {
		return checker.Check(ctx, exercises[i], filesOf[args[0]](exercises[i]))
	}) {
		v, err := wait()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", exercises[i].ID, err)
		}
		if err := out.Encode(v); err != nil {
			return 0, err
		}
	}
	return app.ExitPassed, nil
}

// cache opens the cache in CacheDir for results that packages compute, and returns nil if there is to be none.
func (a *Author) cache(packages ...string) (*resultcache.Cache, error) {
	if a.CacheDir == "" {
		return nil, nil
	}
	return resultcache.Open(a.CacheDir, a.Clone.Root, packages...)
}
