package author

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/workspace"
)

// Check checks the exercises that are named, or all, on each of the releases. For exercises without a problem, it
// proves that the mutants were run on the files as they are; in a clone without a record of mutants, it runs them. The
// exit code is 1 if an exercise has a problem.
func (a *Author) Check(ctx context.Context, ids []string) (int, error) {
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	failed, err := a.proveAll(ctx, exercises)
	if err != nil {
		return 0, err
	}
	code := app.ExitPassed
	if len(failed) > 0 {
		code = app.ExitNotYet
	}
	if len(ids) == 0 {
		if problems := a.sealedWithoutFolder(exercises); len(problems) > 0 {
			a.printProblems(exercise.SealedFile, problems)
			code = app.ExitNotYet
		}
	}
	if a.Brief {
		return code, nil
	}
	if len(failed) > 0 {
		fmt.Fprintln(a.Out, "Mutants are considered only for exercises without a problem.")
		exercises = slices.DeleteFunc(exercises, func(e *exercise.Exercise) bool { return failed[e] })
	}
	recorded, err := a.readSums()
	if err != nil {
		return 0, err
	}
	var good bool
	if recorded != nil {
		good, err = a.compareSums(exercises, recorded)
	} else {
		good, err = a.mutants(ctx, exercises)
	}
	if err != nil {
		return 0, err
	}
	if !good {
		code = app.ExitNotYet
	}
	return code, nil
}

// proveAll checks the folders of the exercises, and proves them on each of the releases. It prints the problems, and
// returns the exercises that have one.
func (a *Author) proveAll(ctx context.Context, exercises []*exercise.Exercise) (
	failed map[*exercise.Exercise]bool, err error,
) {
	releases, err := a.goReleases(ctx)
	if err != nil {
		return nil, err
	}
	cache, err := a.cache(resultcache.VerdictCode()...)
	if err != nil {
		return nil, err
	}
	type part struct {
		where    string
		problems []string
	}
	failed = map[*exercise.Exercise]bool{}
	each := 1 + len(releases) // the parts of an exercise are its folders and the releases
	for i, wait := range execution.InOrder(ctx, len(exercises)*each, func(ctx context.Context, i int) (p part, err error) {
		e := exercises[i/each]
		p.where = e.ID
		if i%each == 0 {
			p.problems, err = a.checkFolders(e)
			return p, err
		}
		release := releases[i%each-1]
		p.where += " on " + release
		proof := proof{
			exercise: e, release: release, tools: build.New(build.DefaultLimits()).Release(release),
			limits: a.Limits, cache: cache, brief: a.Brief,
		}
		if err = proof.run(ctx); err != nil {
			err = fmt.Errorf("%s: %w", p.where, err)
		}
		p.problems = proof.problems
		return p, err
	}) {
		p, err := wait()
		if err != nil {
			return nil, err
		}
		a.printProblems(p.where, p.problems)
		if len(p.problems) > 0 {
			failed[exercises[i/each]] = true
		}
	}
	return failed, nil
}

func (a *Author) printProblems(where string, problems []string) {
	for _, p := range problems {
		fmt.Fprintf(a.Out, "%s: %s\n", where, p)
	}
	if len(problems) == 0 {
		fmt.Fprintf(a.Out, "%s: ok\n", where)
	}
}

// goReleases returns the releases to check the exercises on, and downloads them. By default, they are the last patch
// release of the oldest minor release that the module supports, and the newest release.
func (a *Author) goReleases(ctx context.Context) (releases []string, err error) {
	if releases = a.Releases; len(releases) == 0 {
		if releases, err = build.Ends(ctx); err != nil {
			return nil, err
		}
	}
	for _, release := range releases {
		if _, err := build.Fetch(ctx, release); err != nil {
			return nil, err
		}
	}
	return releases, nil
}

// sealedWithoutFolder reports the sealed copies that are of none of the exercises. If they cannot be read, checkFolders
// reports that.
func (a *Author) sealedWithoutFolder(exercises []*exercise.Exercise) (problems []string) {
	stored, _ := a.Clone.Sealed()
	for _, e := range exercises {
		delete(stored, e.ID+".txtar")
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		problems = append(problems, name+" is of no exercise: run \"go run ./tools/checkalloc dev seal\"")
	}
	return problems
}

// checkFolders reports an error unless the sealed copy equals the exercise's folders, and the folders have no other
// files.
func (a *Author) checkFolders(e *exercise.Exercise) (problems []string, err error) {
	wrong := bookdata.MisconceptionDir(e.ID)
	for dir, known := range map[string]func(string) bool{
		"exercises/" + e.ID: func(name string) bool {
			return name == exercise.ManifestFile ||
				strings.HasSuffix(name, ".go")
		},
		// Loading the exercise has refused all others but copies of its files.
		"solutions/" + e.ID: func(name string) bool { return e.Files[name] != nil },
	} {
		err := fs.WalkDir(os.DirFS(a.Clone.Root), dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || name == dir || entry.IsDir() && name == wrong {
				return err
			}
			if path.Dir(name) == wrong && path.Ext(name) == bookdata.MisconceptionExt && !entry.IsDir() {
				return nil // Misconceptions checks it
			}
			if entry.IsDir() || path.Dir(name) != dir || !known(path.Base(name)) {
				problems = append(problems, name+" is not part of the exercise: remove it")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(problems)
	name, archive, err := exercise.Seal(e)
	if err != nil {
		return nil, err
	}
	if stored, err := a.Clone.Sealed(); err != nil || !bytes.Equal(stored[name], archive) {
		problems = append(problems, fmt.Sprintf("%s in %s differs from exercises/ and solutions/: "+
			"run \"go run ./tools/checkalloc dev seal %s\"", name, exercise.SealedFile, e.ID))
	}
	return problems, nil
}

// A proof is the check of one exercise on one Go release.
type proof struct {
	exercise *exercise.Exercise
	release  string // "go1.26.8"
	tools    *build.Toolchain
	limits   sandbox.Limits
	cache    *resultcache.Cache // of verdicts, and of vet and race tests that found no fault
	brief    bool               // without vet and the race detector
	problems []string
}

func (p *proof) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *proof) run(ctx context.Context) error {
	checker := resultcache.Checker{
		Checker: verdict.Checker{Builder: p.tools, Runner: sandbox.Native{Limits: p.limits}},
		Cache:   p.cache, Go: p.release,
	}
	e := p.exercise

	starter, err := checker.Check(ctx, e, e.Starter())
	if err != nil {
		return err
	}
	switch {
	case starter.Pass:
		p.problem("the starter passes: there is nothing to solve")
	case len(workspace.Figures(starter)) != len(e.Benchmarks):
		p.problem("the starter fails before its allocations are counted: %s", failure(starter))
	}
	solution, err := checker.Check(ctx, e, e.Solution)
	if err != nil {
		return err
	}
	if !solution.Pass {
		p.problem("the solution does not pass: %s", failure(solution))
	}
	if e.Figures != nil { // checkFolders reports an exercise that is not sealed
		p.compare("starter", starter, e.Figures.Starter)
		p.compare("solution", solution, e.Figures.Solution)
	}

	if p.brief {
		slices.Sort(p.problems)
		return nil
	}
	for what, files := range map[string]map[string][]byte{"starter": e.Starter(), "solution": e.Solution} {
		src := verdict.Plain(e, files)
		for name, prove := range map[string]func(context.Context, execution.Source) (ok bool, said string, err error){
			"go vet": p.vet, "go test -race": p.race,
		} {
			problem, err := resultcache.Get(p.cache, func() (problem string, deterministic bool, err error) {
				ok, said, err := prove(ctx, src)
				if err == nil && !ok {
					problem = fmt.Sprintf("%s on the %s: %s", name, what, said)
				}
				return problem, ok, err
			}, name, p.release, src.Dir, src.Files)
			if err != nil {
				return err
			}
			if problem != "" {
				p.problem("%s", problem)
			}
		}
	}
	slices.Sort(p.problems)
	return nil
}

// vet runs go vet over a package. said is what it found.
func (p *proof) vet(ctx context.Context, src execution.Source) (ok bool, said string, err error) {
	r, err := p.tools.Vet(ctx, src)
	return r.OK, r.Stop.String() + " " + string(bytes.TrimSpace(r.Output)), err
}

// race runs a package's tests under the race detector. said is what they or the compiler printed.
func (p *proof) race(ctx context.Context, src execution.Source) (ok bool, said string, err error) {
	r, lacks, err := p.tools.TestRace(ctx, src, 0)
	if lacks != "" {
		err = fmt.Errorf("the race detector needs %s", lacks)
	}
	return r.Passed, r.Stop.String() + " " + string(bytes.TrimSpace(r.Output)), err
}

// compare compares a measurement with the sealed figures, which every text about the exercise quotes.
func (p *proof) compare(what string, v *verdict.Verdict, sealed []exercise.Figure) {
	if got := workspace.Figures(v); len(got) > 0 && !slices.EqualFunc(got, sealed, exercise.Figure.Equal) {
		p.problem("the %s measures %v, sealed is %v: run \"go run ./tools/checkalloc dev seal %s\"",
			what, got, sealed, p.exercise.ID)
	}
}

// failure returns why a check failed.
func failure(v *verdict.Verdict) string {
	text := "stage " + v.Stage
	for _, p := range v.Errors {
		text += fmt.Sprintf("; %s:%d: %s", p.File, p.Line, p.Message)
	}
	if v.Tests.Output != "" {
		text += "\n" + v.Tests.Output
	}
	for _, b := range v.Benchmarks {
		text += fmt.Sprintf(
			"; %s: %s, %s B/op",
			b.Name,
			verdict.FormatAllocs(b.AllocsPerOp),
			verdict.FormatBytes(b.BytesPerOp),
		)
		if b.LiveBytesPerOp != nil {
			text += fmt.Sprintf(", %s live B/op", verdict.FormatBytes(*b.LiveBytesPerOp))
		}
	}
	return text
}
