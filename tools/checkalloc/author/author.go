// Package author has the commands for the authors of exercises, "checkalloc dev". They work on the clone, where
// solutions/ lies beside exercises/. Each command is a method of Author, in a file of its name, or in this file:
// seal, verdicts and new. Package command has their flags.
package author

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// An Author is one call of a command for authors.
type Author struct {
	*app.App
	Clone *workspace.Workspace // of the repository

	Releases  []string // of Go or newest, for Check; nil for the last of Go 1.26 and the newest
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
	for _, name := range ids {
		id := app.ExerciseID(name)
		files, err := a.Clone.Files(id)
		if err != nil {
			return nil, err
		}
		manifest, ok := files[exercise.ManifestFile]
		if !ok {
			return nil, app.Usagef("exercises/%s/%s is missing", id, exercise.ManifestFile)
		}
		delete(files, exercise.ManifestFile)
		solution, err := a.Clone.ReadDir("solutions/" + id)
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
		if e.Mistakes, err = a.mistakes(e); err != nil {
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
	packed, err := exercise.Pack(archives)
	if err == nil {
		err = a.writeFile(exercise.SealedFile, packed)
	}
	return app.ExitPassed, err
}

// figuresFile has the figures of each exercise's starter and solution. It is slash-separated from the repository's
// root.
const figuresFile = "solutions/figures.json"

// readFigures returns the figures by exercise, and none if there is no file.
func (a *Author) readFigures() (map[string]*exercise.Figures, error) {
	figures := map[string]*exercise.Figures{}
	text, err := a.readFile(figuresFile)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &figures)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: run make seal", figuresFile, err)
	}
	return figures, nil
}

// mistakes returns the likely mistakes to seal with an exercise, and none if no mistakes have been measured.
func (a *Author) mistakes(e *exercise.Exercise) ([]exercise.Mistake, error) {
	measured, err := bookdata.ReadMeasuredMisconceptions(os.DirFS(filepath.Join(a.Clone.Root, "book")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return measured.Sealed(e)
}

// readFile returns the text of a file that this package writes, and nil if there is none. Its name is slash-separated
// from the repository's root.
func (a *Author) readFile(name string) ([]byte, error) {
	text, err := safefile.ReadFile(a.Clone.Root, name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// writeFile replaces such a file, or a link in its place, wherever that leads.
func (a *Author) writeFile(name string, text []byte) error {
	return safefile.Write(filepath.Join(a.Clone.Root, filepath.FromSlash(name)), text, 0o644)
}

// exists reports whether the clone has an exercise's folder.
func (a *Author) exists(id string) bool {
	_, err := os.Stat(filepath.Join(a.Clone.Root, "exercises", id))
	return err == nil
}

// A part is the starter or the solution of an exercise.
type part struct {
	what    string
	files   map[string][]byte
	figures *[]exercise.Figure
}

// partsOf returns the parts of an exercise, with their places in its figures.
func partsOf(e *exercise.Exercise, f *exercise.Figures) []part {
	return []part{{"starter", e.Starter(), &f.Starter}, {"solution", e.Solution, &f.Solution}}
}

// measure measures an exercise's starter and solution.
func (a *Author) measure(ctx context.Context, e *exercise.Exercise) (*exercise.Figures, error) {
	figures := new(exercise.Figures)
	for _, part := range partsOf(e, figures) {
		v, err := a.Checker().Check(ctx, e, part.files)
		if err != nil {
			return nil, err
		}
		if *part.figures = workspace.Figures(v); len(*part.figures) != len(e.Benchmarks) {
			return nil, fmt.Errorf("the %s of %s could not be measured: %s", part.what, e.ID, failure(v))
		}
		figures.Go = v.Go
	}
	return figures, nil
}

// Verdicts prints the verdicts on all starters or on all solutions, one JSON object a line. Tests compare the verdicts
// of the page's engine with them.
func (a *Author) Verdicts(ctx context.Context, args []string) (int, error) {
	if len(args) != 1 || args[0] != "starter" && args[0] != "solution" {
		return 0, app.Usagef("dev verdicts needs an argument: \"checkalloc dev verdicts starter\" or " +
			"\"checkalloc dev verdicts solution\"")
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
	if checker.Cache, err = a.cache(); err != nil {
		return 0, err
	}
	out := a.JSONEncoder()
	for i, wait := range execution.InOrder(ctx, len(exercises), func(ctx context.Context, i int) (*verdict.Verdict, error) {
		files := exercises[i].Solution
		if args[0] == "starter" {
			files = exercises[i].Starter()
		}
		return checker.Check(ctx, exercises[i], files)
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

// cache opens the cache in CacheDir, and returns nil if there is to be none.
func (a *Author) cache() (*resultcache.Cache, error) {
	if a.CacheDir == "" {
		return nil, nil
	}
	return resultcache.Open(a.CacheDir, a.Clone.Root, resultcache.VerdictCode()...)
}

// newExercise is a txtar archive with a small exercise that works. NAME stands for its name.
//
//go:embed new.txtar
var newExercise string

// newReview is what reviewFile says about the mutants of that exercise.
//
//go:embed newmutants.txt
var newReview string

var exerciseName = regexp.MustCompile(`^exercise[1-9][0-9]{0,3}$`)

// New writes a small exercise for its author to change.
func (a *Author) New(_ context.Context, args []string) (int, error) {
	if len(args) != 1 {
		return 0, app.Usagef("dev new needs a name: \"checkalloc dev new exercise10\"")
	}
	id := args[0]
	if !exerciseName.MatchString(id) {
		return 0, app.Usagef("dev new %s: the name is \"exercise\" and a number", id)
	}
	for _, dir := range []string{"exercises", "solutions"} {
		if _, err := os.Lstat(filepath.Join(a.Clone.Root, dir, id)); err == nil {
			return 0, app.Usagef("%s/%s exists already: choose the next number", dir, id)
		}
	}
	files := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(strings.ReplaceAll(newExercise, "NAME", id))).Files {
		files[f.Name] = f.Data
	}
	if err := a.Clone.Create(files); err != nil {
		return 0, err
	}
	review, err := a.readFile(reviewFile) // a link that leads out of the clone is an error
	if err != nil {
		return 0, err
	}
	review = append(review, strings.ReplaceAll(newReview, "NAME", id)...)
	if err := a.writeFile(reviewFile, review); err != nil {
		return 0, err
	}
	fmt.Fprintf(a.Out, `exercises/%[1]s and solutions/%[1]s hold a small exercise that works. Make it yours, then
  go run ./tools/checkalloc dev seal %[1]s
  go run ./tools/checkalloc dev check %[1]s
and put {{#exercise %[1]s}} on a line of its own in its chapter.
`, id)
	return app.ExitPassed, nil
}
