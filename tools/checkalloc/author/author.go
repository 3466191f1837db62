// Package author has the commands for the authors of exercises, "checkalloc dev". They work on the clone, where
// solutions/ lies beside exercises/. Each command is a method of Author, in a file of its name, except for seal, which
// is in this file. Package command has their flags.
package author

import (
	"context"
	"fmt"
	"path/filepath"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/workspace"
)

// An Author is one call of a command for authors.
type Author struct {
	*app.App
	Clone *workspace.Workspace // of the repository

	Releases  []string // of Go, for Check; nil for the last of Go 1.26 and the newest
	Brief     bool     // Check leaves out vet, the race detector and mutants
	CacheDir  string   // caches verdicts; "" for no cache
	OnlyCheck bool     // Misconceptions compares with the stored results, and writes nothing

	Runs         int // how often Soak checks each starter and solution
	RunsPerBuild int // how many of these checks use the same build
}

// load reads the exercises that are named, or all, from the folders of the clone.
func (a *Author) load(ids []string) ([]*exercise.Exercise, error) {
	if len(ids) == 0 {
		dirs, err := filepath.Glob(filepath.Join(a.Clone.Root, "exercises", "*", exercise.ManifestFile))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			ids = append(ids, filepath.Base(filepath.Dir(dir)))
		}
	}
	var catalog exercise.Catalog
	for _, id := range ids {
		files, err := a.Clone.Files(id)
		if err != nil {
			return nil, err
		}
		manifest, ok := files[exercise.ManifestFile]
		if !ok {
			return nil, app.Usagef("exercises/%s/%s is missing", id, exercise.ManifestFile)
		}
		delete(files, exercise.ManifestFile)
		solution, err := a.Clone.Solution(id)
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

// Seal measures the exercises that are named, or all, and writes their sealed copies.
func (a *Author) Seal(ctx context.Context, ids []string) (int, error) {
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	for _, e := range exercises {
		fmt.Fprintf(a.Err, "sealing %s\n", e.ID)
		if e.Figures, err = a.measure(ctx, e); err != nil {
			return 0, err
		}
		name, archive, err := exercise.Seal(e)
		if err != nil {
			return 0, err
		}
		if err := a.Clone.WriteSealed(name, archive); err != nil {
			return 0, err
		}
	}
	return app.ExitPassed, nil
}

// measure measures an exercise's starter and solution.
func (a *Author) measure(ctx context.Context, e *exercise.Exercise) (*exercise.Figures, error) {
	starter, err := a.Checker().Check(ctx, e, e.Starter())
	if err != nil {
		return nil, err
	}
	solution, err := a.Checker().Check(ctx, e, e.Solution)
	if err != nil {
		return nil, err
	}
	for _, v := range []struct {
		what string
		n    int
		text string
	}{{"starter", len(app.Figures(starter)), failure(starter)}, {"solution", len(app.Figures(solution)),
		failure(solution)}} {
		if v.n != len(e.Benchmarks) {
			return nil, fmt.Errorf("the %s of %s could not be measured: %s", v.what, e.ID, v.text)
		}
	}
	return &exercise.Figures{Go: starter.Go, Starter: app.Figures(starter), Solution: app.Figures(solution)}, nil
}
