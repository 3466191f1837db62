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
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
)

// An attempt is the proof of one candidate.
type attempt struct {
	Suggestion
	candidate fix.Candidate
	subject   *userpkg.Package // built, while the attempt may still hold; nil afterwards
	figures   *verdict.Verdict
}

// A refusal is the error of a proof that fails, at a stage.
type refusal struct {
	stage Stage
	why   string
}

func (f *refusal) Error() string { return f.why }

func refuse(stage Stage, format string, args ...any) error {
	return &refusal{stage, fmt.Sprintf(format, args...)}
}

// reject rejects an attempt if err is a refusal. It returns any other error.
func (a *attempt) reject(err error) error {
	if f := (*refusal)(nil); errors.As(err, &f) {
		a.Outcome, a.Stage, a.Why = Rejected, f.stage, f.why
		return a.close()
	}
	return err
}

// close removes the files of the build.
func (a *attempt) close() error {
	s := a.subject
	if a.subject = nil; s == nil {
		return nil
	}
	return s.Close()
}

// event tells that a step begins with an attempt.
func (a *attempt) event(step Step, done, total int) Event {
	return Event{Step: step, Done: done, Total: total, Rule: a.Title, Place: a.candidate.Places[0]}
}

// proveAll builds, measures and tests each candidate alone, several at once. The attempts that are not rejected stay
// built, also if the error is not nil.
func (r *run) proveAll(ctx context.Context, found []fix.Candidate) (attempts []*attempt, err error) {
	var edits []fix.Edit
	for i, c := range found {
		edits = append(edits, c.Edits...)
		attempts = append(attempts, &attempt{candidate: c, Suggestion: Suggestion{ID: i + 1, Rule: c.Rule.ID,
			Title: c.Rule.Title, Message: c.Message, Page: c.Rule.Page, Assumes: c.Rule.Assumes,
			Lines: linesOf(r.base, c.Places), Benchmarks: []compare.Benchmark{}, Tests: Tests{Names: []string{}}}})
	}
	r.drawn = sync.OnceValues(func() ([]byte, error) { return r.drawOld(ctx, edits) })
	for i, wait := range execution.InOrder(ctx, len(found), func(ctx context.Context, i int) (struct{}, error) {
		return struct{}{}, attempts[i].reject(r.prove(ctx, attempts[i], r.base))
	}) {
		r.report(attempts[i].event(Prove, i, len(found)))
		_, failed := wait()
		err = errors.Join(err, failed)
	}
	return attempts, err
}

// prove type-checks, builds, measures and tests an attempt. The error is a refusal unless it saves more than the
// figures before, and nothing shows that it changes what the package does.
func (r *run) prove(ctx context.Context, a *attempt, before *verdict.Verdict) (err error) {
	if a.Files, err = fix.Apply(r.subject.Texts, a.candidate.Edits); err != nil {
		return refuse(StageTypes, "%v", err)
	}
	edited, err := r.program.With(a.Files)
	if err != nil {
		return refuse(StageTypes, "it does not type-check: %v", err)
	}
	files := maps.Clone(a.Files)
	test := comparison(r.program, edited)
	if test != nil {
		files[drawnFile] = test
	}
	a.subject = r.subject.With(files)
	if err := r.measure(ctx, a, before); err != nil {
		return err
	}
	with, result, err := r.test(ctx, a.subject)
	if err != nil {
		return err
	}
	if !result.OK {
		return refuse(StageTests, "the tests fail%s: %s", with, firstFailure(result.Output))
	}
	a.Tests.Race = r.options.Race
	if test == nil {
		return nil
	}
	return r.compare(ctx, a)
}

// measure builds an attempt and compares its figures with the figures of the verdict before. The error is a refusal
// unless a benchmark allocates less and none allocates more.
func (r *run) measure(ctx context.Context, a *attempt, before *verdict.Verdict) error {
	if err := a.subject.Build(ctx); err != nil {
		return err
	}
	if p := a.subject.Built.Problems; !a.subject.Built.OK && len(p) > 0 {
		return refuse(StageBuild, "it does not build: %s:%d: %s", p[0].File, p[0].Line, p[0].Message)
	} else if !a.subject.Built.OK {
		return refuse(StageBuild, "it does not build")
	}
	var all []compare.Benchmark
	// A figure that rises by chance, in a benchmark with goroutines or drawn inputs, does not rise each time.
	for range 1 + repeats {
		var err error
		if a.figures, err = a.subject.Figures(ctx, r.options.Measure); err != nil {
			return err
		}
		if !a.figures.Pass {
			first, _, _ := strings.Cut(a.figures.Tests.Output, "\n")
			return refuse(StageTests, "a benchmark fails: %s", first)
		}
		if all, err = figures(before, a.figures); err != nil {
			return err
		}
		if len(all) < len(before.Benchmarks) {
			return refuse(StageFigures, "a benchmark did not run")
		}
		if r.rises(all) == "" {
			break
		}
	}
	a.Benchmarks = changed(all)
	return r.saves(all)
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

// saves returns a refusal unless a benchmark allocates less and none allocates more.
func (r *run) saves(benchmarks []compare.Benchmark) error {
	if why := r.rises(benchmarks); why != "" {
		return refuse(StageFigures, "%s", why)
	}
	for _, b := range benchmarks {
		spread := r.spread[b.Name]
		if fell(b.Allocs, spread.allocs, minAllocs) || fell(b.Bytes, spread.bytes, minBytes) {
			return nil
		}
	}
	return refuse(StageFigures, "no benchmark allocates less")
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

// test runs the tests of a package that was built, then with the race detector if that is wanted. It returns the last
// result, and "" or " with the race detector".
func (r *run) test(ctx context.Context, s *userpkg.Package) (with string, result userpkg.TestResult, err error) {
	result, err = s.Test(ctx, r.tests())
	if err == nil && result.OK && r.options.Race {
		with = " with the race detector"
		result, err = s.Race(ctx, r.tests())
	}
	return with, result, err
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
	rejected := func(a *attempt) bool { return a.Outcome == Rejected }
	held := slices.DeleteFunc(slices.Clone(attempts), rejected)
	if err := r.vetAll(ctx, held); err != nil {
		return err
	}
	if held = slices.DeleteFunc(held, rejected); len(held) == 0 {
		return nil
	}
	r.report(Event{Step: Cover, Total: len(held)})
	cover, err := r.subject.Cover(ctx, r.tests())
	if err != nil {
		return err
	}
	for i, a := range held {
		r.report(a.event(Time, i, len(held)))
		if err := errors.Join(a.reject(r.time(ctx, a)), a.close()); err != nil {
			return err
		}
		if a.Outcome == Rejected {
			continue
		}
		if a.Outcome = Proven; !executed(r.program, a, cover) {
			a.Outcome, a.Why = Unproven, "no test executes what it changes"
		}
	}
	return nil
}

// slowdown is the least relative difference of medians that counts as slower, if it is significant too. Where code lies
// in memory alone makes a smaller one.
const slowdown = 0.02

// time takes samples of the time of both sides in turn, of the benchmarks whose figures changed. The error is a refusal
// if the attempt is slower.
func (r *run) time(ctx context.Context, a *attempt) (err error) {
	m := r.options.Measure
	m.Bench = pattern(a.Benchmarks)
	old, new := *r.base, a.figures
	old.Benchmarks = slices.Clone(old.Benchmarks)
	subjects, verdicts := []*userpkg.Package{r.subject, a.subject}, []*verdict.Verdict{&old, new}
	for i := range 2 * r.options.Count {
		side := (i + i/2) % 2 // old, new, new, old and so on
		if err := subjects[side].Sample(ctx, m, verdicts[side]); err != nil {
			return err
		}
	}
	all, err := figures(&old, new)
	if err != nil {
		return err
	}
	a.Benchmarks = changed(all)
	for _, b := range a.Benchmarks {
		if b.Ns.Delta != "~" && b.Ns.New.Median > b.Ns.Old.Median*(1+slowdown) {
			return refuse(StageTime, "%s is slower: %.4g ns/op instead of %.4g (%s, p=%.3f)", b.Name, b.Ns.New.Median,
				b.Ns.Old.Median, b.Ns.Delta, b.Ns.P)
		}
	}
	return nil
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
	a.Tests.All = cover.Named
	known := false
	note := func(from, to token.Position) {
		count, names, isCode := cover.Executed(from, to)
		if !isCode {
			return
		}
		if !known || count < a.Tests.Count {
			a.Tests.Count = count
		}
		known = true
		a.Tests.Names = append(a.Tests.Names, names...)
	}
	for _, e := range a.candidate.Edits {
		if from, to, ok := statement(p, e); ok {
			note(from, to)
		}
	}
	if !known {
		for _, l := range a.Lines {
			from := token.Position{Filename: l.File, Line: l.Line, Column: 1}
			note(from, token.Position{Line: l.Line + 1, Column: 1})
		}
	}
	slices.Sort(a.Tests.Names)
	a.Tests.Names = slices.Compact(a.Tests.Names)
	return known && a.Tests.Count > 0
}

// statement returns the part of a function's body that an edit of the package changes: for an edit of its signature the
// beginning of the body. It is not ok outside of functions.
func statement(p *fix.Program, e fix.Edit) (from, to token.Position, ok bool) {
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
			return p.Position(start), p.Position(max(end, start+1)), true
		}
	}
	return from, to, false
}

// vetAll runs go vet on the attempts that were not rejected, and rejects the attempts in which it finds something.
// Edits that do not overlap are vetted at once, because vet takes about as long as a build. Each attempt is vetted
// alone only if vet finds something in them together.
func (r *run) vetAll(ctx context.Context, attempts []*attempt) error {
	if !r.vet {
		return nil
	}
	for done := 0; len(attempts) > 0; {
		r.report(Event{Step: Vet, Done: done, Total: done + len(attempts)})
		joined, rest := r.disjoint(attempts)
		err := r.vetEdits(ctx, edits(joined))
		if err != nil && !errors.As(err, new(*refusal)) {
			return err
		}
		for _, a := range joined {
			alone := err
			if err != nil && len(joined) > 1 {
				alone = r.vetEdits(ctx, a.candidate.Edits)
			}
			if err := a.reject(alone); err != nil {
				return err
			}
		}
		attempts, done = rest, done+len(joined)
	}
	return nil
}

// vetEdits runs go vet on the package with edits. The error is a refusal if vet finds something.
func (r *run) vetEdits(ctx context.Context, edits []fix.Edit) error {
	files, err := fix.Apply(r.subject.Texts, edits)
	if err != nil {
		return err
	}
	result, err := r.subject.With(files).Vet(ctx)
	if err != nil || result.OK {
		return err
	}
	return refuse(StageTests, "go vet reports a problem: %s", firstFailure(result.Output))
}
