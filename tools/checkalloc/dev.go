package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/workspace"
)

// dev holds the authors' commands; they work on the clone, where solutions/ lies beside exercises/.
func (c *command) dev(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 {
		return 0, usageError("dev needs a command: check, seal, new, verdicts or wrongturns")
	}
	w, err := c.workspace()
	if err != nil {
		return 0, err
	}
	switch command, rest := args[0], args[1:]; {
	case command == "check":
		return c.devCheck(ctx, w, rest)
	case command == "seal":
		return exitPassed, c.devSeal(ctx, w, rest)
	case command == "verdicts":
		return exitPassed, c.devVerdicts(ctx, w, rest)
	case command == "wrongturns":
		return c.devWrongTurns(ctx, w, rest)
	case command == "new" && len(rest) == 1:
		return exitPassed, c.devNew(w, rest[0])
	case command == "new":
		return 0, usageError("dev new needs a name: \"checkalloc dev new exercise4\"")
	}
	return 0, usageError("no command dev %s: it is check, seal, new, verdicts or wrongturns", args[0])
}

// load reads exercises as they lie in the clone, all of them or those named.
func load(w *workspace.Workspace, ids []string) ([]*exercise.Exercise, error) {
	if len(ids) == 0 {
		dirs, err := filepath.Glob(filepath.Join(w.Root, "exercises", "*", exercise.ManifestFile))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			ids = append(ids, filepath.Base(filepath.Dir(dir)))
		}
	}
	var catalog exercise.Catalog
	for _, id := range ids {
		files, err := w.Files(id)
		if err != nil {
			return nil, err
		}
		manifest, ok := files[exercise.ManifestFile]
		if !ok {
			return nil, usageError("exercises/%s/%s is missing", id, exercise.ManifestFile)
		}
		delete(files, exercise.ManifestFile)
		solution, err := w.Solution(id)
		if err != nil {
			return nil, err
		}
		e, err := exercise.New(id, manifest, files, solution)
		if err != nil {
			return nil, err
		}
		catalog = append(catalog, e)
	}
	catalog.Sort()
	return catalog, nil
}

// devSeal measures the exercises and writes their sealed copies.
func (c *command) devSeal(ctx context.Context, w *workspace.Workspace, ids []string) error {
	exercises, err := load(w, ids)
	if err != nil {
		return err
	}
	for _, e := range exercises {
		fmt.Fprintf(c.err, "sealing %s\n", e.ID)
		if e.Figures, err = c.measure(ctx, e); err != nil {
			return err
		}
		name, archive, err := exercise.Seal(e)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.Root, filepath.FromSlash(exercise.SealedDir), name), archive, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// measure measures an exercise's starter and solution.
func (c *command) measure(ctx context.Context, e *exercise.Exercise) (*exercise.Figures, error) {
	starter, err := c.checker().Check(ctx, e, e.Starter())
	if err != nil {
		return nil, err
	}
	solution, err := c.checker().Check(ctx, e, e.Solution)
	if err != nil {
		return nil, err
	}
	for _, v := range []struct {
		what string
		n    int
		text string
	}{{"starter", len(starter.Benchmarks), failure(starter)}, {"solution", len(solution.Benchmarks), failure(solution)}} {
		if v.n != len(e.Benchmarks) {
			return nil, fmt.Errorf("the %s of %s could not be measured: %s", v.what, e.ID, v.text)
		}
	}
	return &exercise.Figures{Go: starter.Go, Starter: figures(starter), Solution: figures(solution)}, nil
}
