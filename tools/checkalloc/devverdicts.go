package main

import (
	"context"
	"fmt"

	"onthestack/internal/exercise"
	"onthestack/internal/parallel"
	"onthestack/internal/resultcache"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// devVerdicts prints the verdicts on all starters or on all solutions, one JSON object a line. Tests of the engine in the page compare
// with them.
func (c *command) devVerdicts(ctx context.Context, w *workspace.Workspace, args []string) error {
	filesOf := map[string]func(*exercise.Exercise) map[string][]byte{
		"starter":  (*exercise.Exercise).Starter,
		"solution": func(e *exercise.Exercise) map[string][]byte { return e.Solution },
	}
	if len(args) != 1 || filesOf[args[0]] == nil {
		return usageError("dev verdicts needs an argument: \"checkalloc dev verdicts starter\" or \"checkalloc dev verdicts solution\"")
	}
	exercises, err := load(w, nil)
	if err != nil {
		return err
	}
	release, err := toolchain.New(toolchain.DefaultLimits()).Version()
	if err != nil {
		return err
	}
	checker := resultcache.Checker{Checker: c.checker(), Go: release}
	checker.Racer = nil // not all engines have one
	if checker.Cache, err = c.store(w); err != nil {
		return err
	}
	type result struct {
		verdict *verdict.Verdict
		err     error
	}
	out := c.encoder()
	for i, wait := range parallel.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (r result) {
		r.verdict, r.err = checker.Check(ctx, exercises[i], filesOf[args[0]](exercises[i]))
		return r
	}) {
		r := wait()
		if r.err != nil {
			return fmt.Errorf("%s: %w", exercises[i].ID, r.err)
		}
		if err := out.Encode(r.verdict); err != nil {
			return err
		}
	}
	return nil
}

// store opens the cache of --keep, and returns nil without that flag.
func (c *command) store(w *workspace.Workspace) (*resultcache.Cache, error) {
	if c.keep == "" {
		return nil, nil
	}
	return resultcache.Open(c.keep, w.Root, resultcache.Code)
}
