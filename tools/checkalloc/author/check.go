package author

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/version"
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
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
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
	good := len(failed) == 0
	if len(ids) == 0 {
		stored, _ := a.Clone.Sealed() // checkFolders has said if it cannot be read
		for _, e := range exercises {
			delete(stored, e.ID+".txtar")
		}
		for _, name := range slices.Sorted(maps.Keys(stored)) {
			fmt.Fprintf(a.Out, "%s: %s is of no exercise: run \"go run ./tools/checkalloc dev seal\"\n",
				exercise.SealedFile, name)
			good = false
		}
	}
	if a.Brief {
		return app.Code(good), nil
	}
	if len(failed) > 0 {
		fmt.Fprintln(a.Out, "Mutants are considered only for exercises without a problem.")
		exercises = slices.DeleteFunc(exercises, func(e *exercise.Exercise) bool { return failed[e] })
	}
	recorded, err := a.readSums()
	if err != nil {
		return 0, err
	}
	run := a.mutants
	if recorded != nil {
		run = func(context.Context, []*exercise.Exercise) (bool, error) { return a.compareSums(exercises, recorded) }
	}
	killed, err := run(ctx, exercises)
	return app.Code(good && killed), err
}

// proveAll checks the folders of the exercises, and proves them on each of the releases. It prints the problems, and
// returns the exercises that have one.
func (a *Author) proveAll(ctx context.Context, exercises []*exercise.Exercise) (
	failed map[*exercise.Exercise]bool, err error,
) {
	releases, err := a.releases(ctx)
	if err != nil {
		return nil, err
	}
	if err := app.FetchReleases(ctx, releases); err != nil {
		return nil, err
	}
	cache, err := a.cache()
	if err != nil {
		return nil, err
	}
	type result struct {
		where    string
		problems []string
	}
	failed = map[*exercise.Exercise]bool{}
	each := 1 + len(releases) // the parts of an exercise are its folders and the releases
	for i, wait := range execution.InOrder(ctx, len(exercises)*each, func(ctx context.Context, i int) (p result, err error) {
		e := exercises[i/each]
		p.where = e.ID
		if i%each == 0 {
			p.problems, err = a.checkFolders(e)
			return p, err
		}
		release := releases[i%each-1]
		p.where += " on " + release
		if p.problems, err = a.prove(ctx, e, release, cache); err != nil {
			err = fmt.Errorf("%s: %w", p.where, err)
		}
		return p, err
	}) {
		p, err := wait()
		if err != nil {
			return nil, err
		}
		for _, problem := range p.problems {
			fmt.Fprintf(a.Out, "%s: %s\n", p.where, problem)
			failed[exercises[i/each]] = true
		}
		if len(p.problems) == 0 {
			fmt.Fprintf(a.Out, "%s: ok\n", p.where)
		}
	}
	return failed, nil
}

// newest stands for the newest release of Go in Author.Releases.
const newest = "newest"

// releases returns the releases of Go that Check proves exercises on.
func (a *Author) releases(ctx context.Context) ([]string, error) {
	if len(a.Releases) > 0 && !slices.Contains(a.Releases, newest) {
		return a.Releases, nil
	}
	ends, err := build.Ends(ctx)
	if err != nil || len(a.Releases) == 0 {
		return ends, err
	}
	releases := slices.Clone(a.Releases)
	for i, release := range releases {
		if release == newest {
			releases[i] = ends[len(ends)-1]
		}
	}
	return releases, nil
}

// checkFolders reports an error unless the sealed copy equals the exercise's folders, and the folders have no other
// files.
func (a *Author) checkFolders(e *exercise.Exercise) (problems []string, err error) {
	wrong := bookdata.MisconceptionDir(e.ID)
	for dir, known := range map[string]func(string) bool{
		e.Dir(): func(name string) bool { return name == exercise.ManifestFile || strings.HasSuffix(name, ".go") },
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
	sealed := *e
	if sealed.Mistakes, err = a.mistakes(e); err != nil {
		return nil, err
	}
	name, archive, err := exercise.Seal(&sealed)
	if err != nil {
		return nil, err
	}
	if stored, err := a.Clone.Sealed(); err != nil || !bytes.Equal(stored[name], archive) {
		problems = append(problems, fmt.Sprintf("%s in %s differs from exercises/ and solutions/: "+
			"run \"go run ./tools/checkalloc dev seal %s\"", name, exercise.SealedFile, e.ID))
	}
	return problems, nil
}

// prove checks one exercise on one Go release. The cache has verdicts, and checks by vet and the race detector that
// found no fault.
func (a *Author) prove(
	ctx context.Context, e *exercise.Exercise, release string, cache *resultcache.Cache,
) (problems []string, err error) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	tools := build.New(build.DefaultLimits()).Release(release)
	checker := resultcache.Checker{
		Checker: verdict.Checker{Builder: tools, Runner: sandbox.Native{Limits: a.Limits}}, Cache: cache, Go: release,
	}
	for _, part := range partsOf(e, cmp.Or(e.Figures, &exercise.Figures{})) {
		v, err := checker.Check(ctx, e, part.files)
		if err != nil {
			return nil, err
		}
		starter, figures := part.what == "starter", workspace.Figures(v)
		switch {
		case starter && v.Pass && !e.Leave:
			problem("the starter passes: there is nothing to solve")
		case starter && len(figures) != len(e.Benchmarks):
			problem("the starter fails before its allocations are counted: %s", failure(v))
		case !v.Pass && (!starter || e.Leave):
			problem("the %s does not pass: %s", part.what, failure(v))
		}
		// Every text about the exercise quotes the sealed figures. checkFolders reports an exercise without them.
		sealed := e.Figures != nil && (!e.Varies || version.Lang(release) == version.Lang(e.Figures.Go))
		if sealed && len(figures) > 0 && !slices.EqualFunc(figures, *part.figures, exercise.Figure.Equal) {
			problem("the %s measures %v, sealed is %v: run \"go run ./tools/checkalloc dev seal %s\"",
				part.what, figures, *part.figures, e.ID)
		}
		if a.Brief {
			continue
		}
		src := verdict.Plain(e, part.files)
		for name, check := range map[string]func(context.Context, *build.Toolchain, execution.Source) (string, error){
			"go vet": vet, "go test -race": race,
		} {
			fault, err := resultcache.Get(cache, func() (fault string, deterministic bool, err error) {
				fault, err = check(ctx, tools, src)
				return fault, fault == "", err
			}, name, release, src.Dir, src.Files)
			if err != nil {
				return nil, err
			}
			if fault != "" {
				problem("%s on the %s: %s", name, part.what, fault)
			}
		}
	}
	if e.Leave {
		passing, err := a.tempting(ctx, e, checker)
		if err != nil {
			return nil, err
		}
		problems = append(problems, passing...)
	}
	slices.Sort(problems)
	return problems, nil
}

// tempting returns a problem for each likely mistake of an exercise whose starter passes, unless it fails the tests.
func (a *Author) tempting(
	ctx context.Context, e *exercise.Exercise, checker resultcache.Checker,
) (problems []string, err error) {
	tries, problems, err := a.readTries([]*exercise.Exercise{e})
	if err != nil {
		return nil, err
	}
	for _, t := range tries {
		files, err := t.change.Apply(e.Starter())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name(), err)
		}
		v, err := checker.Check(ctx, e, files)
		if err != nil {
			return nil, err
		}
		if v.Stage != verdict.StageTests {
			problems = append(problems, fmt.Sprintf("%s does not fail the tests: pass %v, stage %q", t.name(), v.Pass,
				v.Stage))
		}
	}
	return problems, nil
}

// vet returns what go vet finds in a package, "" for no fault.
func vet(ctx context.Context, tools *build.Toolchain, src execution.Source) (fault string, err error) {
	r, err := tools.Vet(ctx, src)
	if err == nil && !r.OK {
		fault = r.Stop.String() + " " + string(bytes.TrimSpace(r.Output))
	}
	return fault, err
}

// race returns what the tests of a package print under the race detector if they fail, "" if they pass.
func race(ctx context.Context, tools *build.Toolchain, src execution.Source) (fault string, err error) {
	r, lacks, err := tools.TestRace(ctx, src, 0)
	switch {
	case err != nil:
	case lacks != "":
		err = fmt.Errorf("the race detector needs %s", lacks)
	case !r.Passed:
		fault = r.Stop.String() + " " + string(bytes.TrimSpace(r.Output))
	}
	return fault, err
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
		text += "; " + b.Name + ": " + app.Amounts(b.AllocsPerOp, &b.BytesPerOp, b.LiveBytesPerOp)
	}
	return text
}
