// Package author has the commands for the authors of exercises, "checkalloc dev". They work on the clone, where
// solutions/ lies beside exercises/. Each command is a method of Author, in a file of its name, except for seal, which
// is in this file. Package command has their flags.
package author

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
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
	Record    bool     // Mutants records the exercises whose mutants are killed
	OnlyCheck bool     // Misconceptions compares with the stored results, and writes nothing
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
	figures, err := a.readFigures()
	if err != nil {
		return nil, err
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
		e.Figures = figures[id]
		catalog = append(catalog, e)
	}
	catalog.Sort()
	return catalog, nil
}

// Seal measures the exercises that are named, or all, writes their figures and seals them. It leaves other exercises as
// they are sealed, and the file if it has all this.
func (a *Author) Seal(ctx context.Context, ids []string) (int, error) {
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	stored, err := a.Clone.Sealed()
	if err != nil && len(ids) > 0 && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	figures, archives := map[string]*exercise.Figures{}, map[string][]byte{}
	if len(ids) > 0 {
		maps.Copy(archives, stored)
		if figures, err = a.readFigures(); err != nil {
			return 0, err
		}
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
		figures[e.ID], archives[name] = e.Figures, archive
	}
	if err := bookdata.WriteJSON(filepath.Join(a.Clone.Root, filepath.FromSlash(figuresFile)), figures); err != nil {
		return 0, err
	}
	if maps.EqualFunc(stored, archives, bytes.Equal) {
		return app.ExitPassed, nil
	}
	return app.ExitPassed, a.Clone.WriteSealed(archives)
}

// figuresFile has the figures of each exercise's starter and solution. It is slash-separated from the repository's
// root.
const figuresFile = "solutions/figures.json"

// readFigures returns the figures by exercise, and none if there is no file.
func (a *Author) readFigures() (map[string]*exercise.Figures, error) {
	figures := map[string]*exercise.Figures{}
	text, err := safefile.ReadFile(a.Clone.Root, figuresFile, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return figures, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &figures)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: run make seal", figuresFile, err)
	}
	return figures, nil
}

// measure measures an exercise's starter and solution.
func (a *Author) measure(ctx context.Context, e *exercise.Exercise) (*exercise.Figures, error) {
	figures := new(exercise.Figures)
	for _, part := range []struct {
		what  string
		files map[string][]byte
		to    *[]exercise.Figure
	}{{"starter", e.Starter(), &figures.Starter}, {"solution", e.Solution, &figures.Solution}} {
		v, err := a.Checker().Check(ctx, e, part.files)
		if err != nil {
			return nil, err
		}
		if *part.to = workspace.Figures(v); len(*part.to) != len(e.Benchmarks) {
			return nil, fmt.Errorf("the %s of %s could not be measured: %s", part.what, e.ID, failure(v))
		}
		figures.Go = v.Go
	}
	return figures, nil
}
