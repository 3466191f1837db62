package suggest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
)

// An attempt is the proof of one candidate.
type attempt struct {
	id         int
	candidate  fix.Candidate
	outcome    Outcome
	stage      Stage
	why        string
	lines      []Line
	old, files map[string][]byte
	subject    *userpkg.Subject // built, while the attempt may still hold; nil afterwards
	figures    *verdict.Verdict
	benchmarks []compare.Benchmark
	tests      Tests
	together   bool
}

func (a *attempt) reject(stage Stage, format string, args ...any) {
	a.outcome, a.stage, a.why = Rejected, stage, fmt.Sprintf(format, args...)
}

// close removes the files of the build.
func (a *attempt) close() error {
	s := a.subject
	if a.subject = nil; s == nil {
		return nil
	}
	return s.Close()
}

// proveAll builds, measures and tests each candidate alone, several at once. The attempts that are not rejected stay
// built, also if the error is not nil.
func (r *run) proveAll(ctx context.Context, found []fix.Candidate) (attempts []*attempt, err error) {
	for i, wait := range execution.InOrder(ctx, len(found), func(ctx context.Context, i int) (*attempt, error) {
		a := &attempt{id: i + 1, candidate: found[i], old: r.subject.Files, lines: linesOf(r.base, found[i].Places)}
		err := r.prove(ctx, a)
		if err != nil || a.outcome == Rejected {
			err = errors.Join(err, a.close())
		}
		return a, err
	}) {
		event := Event{Step: Prove, Done: i, Total: len(found), Rule: found[i].Rule.Title}
		if len(found[i].Places) > 0 {
			event.Place = found[i].Places[0]
		}
		r.report(event)
		a, failed := wait()
		attempts, err = append(attempts, a), errors.Join(err, failed)
	}
	return attempts, err
}

// prove builds, measures and tests a candidate alone.
func (r *run) prove(ctx context.Context, a *attempt) error {
	var err error
	if a.files, err = fix.Apply(r.subject.Files, a.candidate.Edits); err != nil {
		a.reject(StageTypes, "%v", err)
		return nil
	}
	stage, why, err := r.hold(ctx, a, r.base)
	if stage != "" {
		a.reject(stage, "%s", why)
	}
	a.tests.Race = stage == "" && r.options.Race
	return err
}

// hold type-checks, builds, measures and tests the files of an attempt. The stage is "" if it saves more than the
// figures before, and nothing shows that it changes what the package does.
func (r *run) hold(ctx context.Context, a *attempt, before *verdict.Verdict) (stage Stage, why string, err error) {
	edited, err := r.program.With(a.files)
	if err != nil {
		return StageTypes, fmt.Sprintf("it does not type-check: %v", err), nil
	}
	files := maps.Clone(a.files)
	compared := r.addComparison(edited, files)
	a.subject = r.subject.With(files)
	stage, why, err = r.measure(ctx, a, before)
	if err == nil && stage == "" {
		stage, why, err = r.test(ctx, a.subject)
	}
	if err == nil && stage == "" && compared {
		stage, why, err = r.compare(ctx, a)
	}
	return stage, why, err
}

// measure builds a candidate and compares its figures with the figures of the verdict before. The stage is "" if a
// benchmark allocates less and none allocates more.
func (r *run) measure(ctx context.Context, a *attempt, before *verdict.Verdict) (Stage, string, error) {
	if err := a.subject.Build(ctx); err != nil {
		return "", "", err
	}
	if !a.subject.Built.OK {
		why := "it does not build"
		if p := a.subject.Built.Problems; len(p) > 0 {
			why = fmt.Sprintf("it does not build: %s:%d: %s", p[0].File, p[0].Line, p[0].Message)
		}
		return StageBuild, why, nil
	}
	// A figure that rises by chance, in a benchmark with goroutines or drawn inputs, does not rise each time.
	for range 1 + repeats {
		var err error
		if a.figures, err = a.subject.Figures(ctx, r.options.Measure); err != nil {
			return "", "", err
		}
		if !a.figures.Pass {
			first, _, _ := strings.Cut(a.figures.Tests.Output, "\n")
			return StageTests, "a benchmark fails: " + first, nil
		}
		if a.benchmarks, err = figures(before, a.figures); err != nil {
			return "", "", err
		}
		if len(a.benchmarks) < len(before.Benchmarks) {
			return StageFigures, "a benchmark did not run", nil
		}
		if r.rises(a.benchmarks) == "" {
			break
		}
	}
	stage, why := r.saves(a.benchmarks)
	return stage, why, nil
}

// figures compares the benchmarks of two verdicts, without their lines.
func figures(old, new *verdict.Verdict) ([]compare.Benchmark, error) {
	side := func(label string, v *verdict.Verdict) compare.Side {
		bare := *v
		bare.Allocations, bare.Inside = nil, nil
		return compare.Side{Label: label, Verdict: &bare}
	}
	c, err := compare.Compare(side("before", old), side("after", new))
	if err != nil {
		return nil, err
	}
	return c.Benchmarks, nil
}

// minAllocs and minBytes are the smallest differences that count: caches and maps that grow now and then make less.
// Where the figures of the same code differ from run to run, a difference also has to be a part of the figure.
const (
	minAllocs = 0.05
	minBytes  = 1
	minPart   = 0.002
)

// steady is how many times larger than the differences from run to run a difference has to be to count.
const steady = 3

// fell and rose report whether a figure changed by a difference that counts, where the same code differs by the spread.
func fell(e compare.Exact, spread, least float64) bool {
	return rose(compare.Exact{Old: e.New, New: e.Old}, spread, least)
}

func rose(e compare.Exact, spread, least float64) bool {
	if spread > 0 {
		least = max(least, minPart*max(e.Old, e.New), steady*spread)
	}
	return e.New-e.Old >= least
}

// saves returns StageFigures and why unless a benchmark allocates less and none allocates more.
func (r *run) saves(benchmarks []compare.Benchmark) (Stage, string) {
	if why := r.rises(benchmarks); why != "" {
		return StageFigures, why
	}
	for _, b := range benchmarks {
		spread := r.spread[b.Name]
		if fell(b.Allocs, spread.allocs, minAllocs) || fell(b.Bytes, spread.bytes, minBytes) {
			return "", ""
		}
	}
	return StageFigures, "no benchmark allocates less"
}

// rises returns which benchmark allocates more, with its figures; "" if none does.
func (r *run) rises(benchmarks []compare.Benchmark) string {
	for _, b := range benchmarks {
		spread := r.spread[b.Name]
		switch {
		case rose(b.Allocs, spread.allocs, minAllocs):
			return fmt.Sprintf("%s makes more: %s instead of %s", b.Name, verdict.FormatAllocs(b.Allocs.New),
				verdict.FormatAllocs(b.Allocs.Old))
		case rose(b.Bytes, spread.bytes, minBytes):
			return fmt.Sprintf("%s uses more memory: %s B/op instead of %s", b.Name,
				verdict.FormatBytes(b.Bytes.New), verdict.FormatBytes(b.Bytes.Old))
		}
	}
	return ""
}

// A testRun runs the tests of a package in one way.
type testRun struct {
	with string // " with the race detector", or ""
	run  func(context.Context) (userpkg.TestResult, error)
}

// checks returns how the tests of a built package are run.
func (r *run) checks(s *userpkg.Subject) []testRun {
	all := []testRun{{"", func(ctx context.Context) (userpkg.TestResult, error) {
		return s.Package.Test(ctx, s.Built, r.tests())
	}}}
	if r.options.Race {
		all = append(all, testRun{" with the race detector", func(ctx context.Context) (userpkg.TestResult, error) {
			return s.Package.Race(ctx, r.tests())
		}})
	}
	return all
}

// test runs the tests of a candidate that was built. The stage is "" if they pass.
func (r *run) test(ctx context.Context, s *userpkg.Subject) (Stage, string, error) {
	for _, c := range r.checks(s) {
		result, err := c.run(ctx)
		if err != nil {
			return "", "", err
		}
		if !result.OK {
			return StageTests, "the tests fail" + c.with + ": " + firstFailure(result.Output), nil
		}
	}
	return "", "", nil
}

var failure = regexp.MustCompile(`(?m)^\s*(--- FAIL: \S+|panic: .*|fatal error: .*|WARNING: DATA RACE|\S+\.go:\d+:.*)`)

// firstFailure returns the line that says which test failed.
func firstFailure(output []byte) string {
	if line := failure.Find(output); line != nil {
		return strings.TrimPrefix(strings.TrimSpace(string(line)), "--- FAIL: ")
	}
	return tail(output)
}

// judge vets what allocates less and passes the tests, takes samples of its time, and decides what is proven.
func (r *run) judge(ctx context.Context, attempts []*attempt) error {
	rejected := func(a *attempt) bool { return a.outcome == Rejected }
	held := slices.DeleteFunc(slices.Clone(attempts), rejected)
	if err := r.vetAll(ctx, held); err != nil {
		return err
	}
	if held = slices.DeleteFunc(held, rejected); len(held) == 0 {
		return nil
	}
	r.report(Event{Step: Cover, Total: len(held)})
	cover, err := r.subject.Package.Cover(ctx, r.tests())
	if err != nil {
		return err
	}
	for i, a := range held {
		r.report(Event{Step: Time, Done: i, Total: len(held), Rule: a.candidate.Rule.Title,
			Place: a.candidate.Places[0]})
		slower, err := r.time(ctx, a)
		if err := errors.Join(err, a.close()); err != nil {
			return err
		}
		if slower != "" {
			a.reject(StageTime, "%s", slower)
			continue
		}
		a.outcome = Proven
		if !executed(r.program, a, cover) {
			a.outcome, a.why = Unproven, "no test executes what it changes"
		}
	}
	return nil
}

// slowdown is the least relative difference of medians that counts as slower, if it is significant too. Where code lies
// in memory alone makes a smaller one.
const slowdown = 0.02

// time takes samples of the time of both sides in turn, of the benchmarks whose figures changed. It returns why a
// candidate is slower, or "".
func (r *run) time(ctx context.Context, a *attempt) (why string, err error) {
	m := r.options.Measure
	m.Bench = pattern(changed(a.benchmarks))
	old, new := *r.base, *a.figures
	old.Benchmarks, new.Benchmarks = slices.Clone(old.Benchmarks), slices.Clone(new.Benchmarks)
	sides := []struct {
		subject *userpkg.Subject
		verdict *verdict.Verdict
	}{{r.subject, &old}, {a.subject, &new}}
	for _, s := range sides {
		for i := range s.verdict.Benchmarks {
			s.verdict.Benchmarks[i].NsSamples = nil
		}
	}
	for round := range r.options.Count {
		for i := range sides {
			side := sides[(round+i)%2]
			times, err := side.subject.Sample(ctx, m)
			if err != nil {
				return "", err
			}
			for j := range side.verdict.Benchmarks {
				b := &side.verdict.Benchmarks[j]
				if ns, ok := times[b.Name]; ok {
					b.AddSample(ns)
				}
			}
		}
	}
	if a.benchmarks, err = figures(&old, &new); err != nil {
		return "", err
	}
	for _, b := range changed(a.benchmarks) {
		if b.Ns.Delta != "~" && b.Ns.New.Median > b.Ns.Old.Median*(1+slowdown) {
			return fmt.Sprintf("%s is slower: %.4g ns/op instead of %.4g (%s, p=%.3f)", b.Name, b.Ns.New.Median,
				b.Ns.Old.Median, b.Ns.Delta, b.Ns.P), nil
		}
	}
	return "", nil
}

// pattern returns a regular expression that selects benchmarks by name.
func pattern(benchmarks []compare.Benchmark) string {
	var functions []string
	for _, b := range benchmarks {
		name, _, _ := strings.Cut(strings.TrimSuffix(b.Name, verdict.InExternalTest), "/")
		if name = regexp.QuoteMeta(name); !slices.Contains(functions, name) {
			functions = append(functions, name)
		}
	}
	return "^(" + strings.Join(functions, "|") + ")$"
}

// executed sets which tests executed what a candidate changes, and reports whether one did. If the change is only
// outside of functions, for example in a type, the lines that allocate count instead.
func executed(p *fix.Program, a *attempt, cover *userpkg.Coverage) bool {
	a.tests.All = cover.Named()
	known := false
	note := func(file string, from, to userpkg.Place) {
		count, names, isCode := cover.Executed(file, from, to)
		if !isCode {
			return
		}
		if !known || count < a.tests.Count {
			a.tests.Count = count
		}
		known = true
		for _, name := range names {
			if !slices.Contains(a.tests.Names, name) {
				a.tests.Names = append(a.tests.Names, name)
			}
		}
	}
	for _, e := range a.candidate.Edits {
		if from, to, ok := statement(p, e); ok {
			note(e.File, from, to)
		}
	}
	if !known {
		for _, l := range a.lines {
			note(l.File, userpkg.Place{Line: l.Line, Column: 1}, userpkg.Place{Line: l.Line + 1, Column: 1})
		}
	}
	slices.Sort(a.tests.Names)
	return known && a.tests.Count > 0
}

// statement returns the part of a function's body that an edit of the package changes: for an edit of its signature the
// beginning of the body. It is not ok outside of functions.
func statement(p *fix.Program, e fix.Edit) (from, to userpkg.Place, ok bool) {
	for _, file := range p.Files {
		if p.Position(file.FileStart).Filename != e.File {
			continue
		}
		start, end := file.FileStart+token.Pos(e.Start), file.FileStart+token.Pos(e.End)
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || f.Body == nil || start < f.Pos() || f.End() <= start {
				continue
			}
			if start < f.Body.Lbrace {
				start, end = f.Body.Lbrace+1, f.Body.Lbrace+1
				if len(f.Body.List) > 0 {
					start, end = f.Body.List[0].Pos(), f.Body.List[0].Pos()+1
				}
			}
			a, b := p.Position(start), p.Position(max(end, start+1))
			return userpkg.Place{Line: a.Line, Column: a.Column}, userpkg.Place{Line: b.Line, Column: b.Column}, true
		}
	}
	return from, to, false
}
