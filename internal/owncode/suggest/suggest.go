// Package suggest finds edits that make a package of the user's allocate less, and proves each before it is shown.
//
// Run takes the candidates of package fix on lines that the verdict says allocate, and on lines that lead values to the
// heap. Each candidate alone must type-check, build, lower allocs/op or B/op of a benchmark while none rises, pass the
// package's tests and vet, agree with the old functions on drawn inputs where inputs can be drawn, and
// not be slower by a statistical test. Vet runs once for all edits that do not overlap. Edits that are proven alone are
// then tried together. Nothing is written to the package's folder: the go command reads each edit through an overlay.
// Write puts edits into the files.
package suggest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// Options say what is measured and what counts as a proof.
type Options struct {
	Measure userpkg.MeasureOptions // Bench, Limit, Benchtime, Args; the others are not used
	Count   int                    // samples of the time of each side
	Race    bool                   // whether the tests must also pass with the race detector
	Limit   time.Duration          // of the tests of one candidate
	Most    int                    // candidates that are tried; 0 for DefaultMost
	Rules   []string               // the IDs of the rules to use, nil for all
}

// DefaultMost bounds the candidates that are tried if Options.Most is 0.
const DefaultMost = 200

// An Event tells how far Run is. It is reported when a step begins.
type Event struct {
	Step  Step
	Done  int // of Total candidates, in the steps Prove and Combine
	Total int
	Rule  string // of the candidate in hand
	Place fix.Place
}

// String says what Run does now: "proving 1 of 3: array, a.go:7".
func (e Event) String() string {
	switch e.Step {
	case Cover:
		return "finding the tests that execute the lines"
	case Vet:
		return fmt.Sprintf("running go vet on %d edits", e.Total-e.Done)
	case Prove, Time:
		verb := map[Step]string{Prove: "proving", Time: "timing"}[e.Step]
		return fmt.Sprintf("%s %d of %d: %s, %s:%d", verb, e.Done+1, e.Total, e.Rule, e.Place.File, e.Place.Line)
	case Combine:
		return fmt.Sprintf("combining %d of %d: %s", e.Done+1, e.Total, e.Rule)
	}
	return "measuring"
}

// A Step is a part of the work of Run.
type Step string

const (
	Measure Step = "measure" // the package as it is
	Prove   Step = "prove"   // each candidate alone
	Vet     Step = "vet"     // the candidates that hold so far, many at once
	Time    Step = "time"    // both sides in turn
	Cover   Step = "cover"   // which tests execute which lines
	Combine Step = "combine" // the candidates that hold, together
)

// Run finds and proves edits for a package that was compiled with its benchmarks. It calls report, which may be nil,
// from one goroutine at a time. If ctx is done, it returns the cause.
func Run(ctx context.Context, s *userpkg.Package, o Options, report func(Event)) (*Result, error) {
	if report == nil {
		report = func(Event) {}
	}
	r := &run{subject: s, options: o, report: report}
	result, err := r.run(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return result, err
}

// A run is one call of Run.
type run struct {
	subject *userpkg.Package
	options Options
	report  func(Event)

	base    *verdict.Verdict
	spread  map[string]saving // by benchmark: by how much its figures differ from run to run
	program *fix.Program
	vet     bool // whether the package as it is passes vet
	notes   []string
	drawn   func() ([]byte, error) // what the old functions give for drawn inputs
}

// NotMeasured is the error of Run for a package that has no figures to improve. It says why in a sentence.
type NotMeasured struct{ Why string }

func (n *NotMeasured) Error() string { return n.Why }

func (r *run) run(ctx context.Context) (result *Result, err error) {
	r.report(Event{Step: Measure})
	explained, err := r.subject.Explain(ctx, r.options.Measure, userpkg.OnlyPackage)
	if err != nil {
		return nil, err
	}
	r.base = explained.Verdict
	p := r.subject
	if err := measured(r.base, p.ImportPath); err != nil {
		return nil, err
	}
	r.leaveOut()
	if err := r.measureAgain(ctx); err != nil {
		return nil, err
	}
	if r.program, err = r.check(ctx); err != nil {
		return nil, fmt.Errorf("read the types of %s: %w", p.ImportPath, err)
	}
	result = newResult(r.base)
	if err := r.tryAll(ctx, result, r.candidates(ctx)); err != nil {
		return nil, err
	}
	result.Notes = append(result.Notes, r.notes...)
	return result, nil
}

// tryAll proves candidates, alone and then together, and adds what came of them to the result.
func (r *run) tryAll(ctx context.Context, result *Result, found []fix.Candidate) (err error) {
	if len(found) == 0 {
		return nil
	}
	if err := r.testBase(ctx); err != nil {
		return err
	}
	attempts, err := r.proveAll(ctx, found)
	defer func() {
		for _, a := range attempts {
			err = errors.Join(err, a.close())
		}
	}()
	if err != nil {
		return err
	}
	if err := r.judge(ctx, attempts); err != nil {
		return err
	}
	if err := r.combine(ctx, result, attempts); err != nil {
		return err
	}
	result.add(r.subject.Texts, attempts)
	return nil
}

// repeats is how often the unchanged package is measured again, to learn which figures depend on drawn inputs. A
// candidate is measured again at most as often, if a figure rises.
const repeats = 2

// measureAgain sets by how much the figures of the unchanged package differ from run to run.
func (r *run) measureAgain(ctx context.Context) error {
	r.spread = map[string]saving{}
	for range repeats {
		again, err := r.subject.Figures(ctx, r.options.Measure)
		if err != nil {
			return err
		}
		all, err := figures(r.base, again)
		if err != nil {
			return err
		}
		for _, b := range all {
			was := r.spread[b.Name]
			r.spread[b.Name] = saving{max(was.allocs, math.Abs(b.Allocs.New-b.Allocs.Old)),
				max(was.bytes, math.Abs(b.Bytes.New-b.Bytes.Old))}
		}
	}
	return nil
}

// leaveOut removes benchmarks that were stopped, that failed, or that were not run because of these, so that the next
// steps do not run them.
func (r *run) leaveOut() {
	for _, n := range r.base.NotMeasured {
		why := n.Why
		switch n.Outcome {
		case verdict.Skipped:
			continue
		case verdict.Failed:
			why = "it fails"
			_, output, _ := strings.Cut(r.base.Tests.Output, "--- FAIL: "+n.Name)
			if line := message.FindString(output); line != "" {
				why += ": " + strings.TrimSpace(line)
			}
		}
		r.options.Measure.Without = append(r.options.Measure.Without,
			strings.TrimSuffix(n.Name, verdict.InExternalTest))
		r.notes = append(r.notes, fmt.Sprintf("%s is left out: %s", n.Name, why))
	}
}

// measured returns an error unless benchmarks of the package were measured.
func measured(v *verdict.Verdict, path string) error {
	switch {
	case v.Stage == verdict.StageBuild && len(v.Errors) > 0:
		e := v.Errors[0]
		return &NotMeasured{fmt.Sprintf("%s does not build: %s:%d: %s", path, e.File, e.Line, e.Message)}
	case v.Stage == verdict.StageBuild:
		return &NotMeasured{path + " does not build"}
	case !v.Pass && len(v.Benchmarks) == 0:
		first, rest, _ := strings.Cut(v.Tests.Output, "\n")
		if line := message.FindString(rest); line != "" {
			first += ": " + strings.TrimSpace(line)
		}
		return &NotMeasured{fmt.Sprintf("a benchmark of %s fails: %s", path, first)}
	case len(v.Benchmarks) == 0:
		return &NotMeasured{path + " has no benchmark that was run: an edit is proven by the allocs/op of a benchmark"}
	}
	return nil
}

// message matches what a benchmark says when it fails, and why a program panics. Unlike failure, it passes over the
// line that only names the benchmark.
var message = regexp.MustCompile(`(?m)(panic: .*|fatal error: .*|\S+\.go:\d+: .*)`)

// standard are packages that edits and the comparison of functions may import in addition to the package's own imports.
const standard = `package p
import ("cmp"; "container/heap"; "encoding/hex"; "errors"; "fmt"; "hash/fnv"; "io"; "math/rand"; "reflect"; "runtime";
	"slices"; "strconv"; "strings"; "sync"; "testing"; "time")`

// check type-checks the package and its own tests.
func (r *run) check(ctx context.Context) (*fix.Program, error) {
	p := r.subject
	files := maps.Clone(r.subject.Texts)
	files["standard.go"] = []byte(standard)
	exports, err := p.Exports(ctx, files)
	if err != nil {
		return nil, err
	}
	excluded, err := p.Excluded()
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	return fix.Check(fix.Source{
		ImportPath: p.ImportPath, GOARCH: p.GOARCH, GoVersion: p.Module.GoVersion,
		Names: slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles), Texts: r.subject.Texts, Fixed: p.CgoFiles,
		Excluded: excluded,
		Importer: exports.Importer(fset), Fset: fset,
	})
}

// candidates returns the candidates on lines that allocate, or that lead values to the heap. Those on the lines with
// the most allocs/op come first.
func (r *run) candidates(ctx context.Context) []fix.Candidate {
	hot := map[fix.Place]float64{}
	size := map[fix.Place]float64{}
	for _, a := range r.base.Allocations {
		places := placesOf(a)
		for _, at := range places {
			hot[at] = max(hot[at], a.AllocsPerOp)
		}
		if a.AllocsPerOp > 0 && sizeAtRunTime(a) {
			size[places[0]] = max(size[places[0]], a.BytesPerOp/a.AllocsPerOp)
		}
	}
	all := r.program.Candidates(ctx, func(file string, line int) float64 {
		return size[fix.Place{File: file, Line: line}]
	})
	heat := func(c fix.Candidate) (most float64) {
		for _, p := range c.Places {
			most = max(most, hot[p])
		}
		return most
	}
	all = slices.DeleteFunc(all, func(c fix.Candidate) bool {
		return heat(c) == 0 || r.options.Rules != nil && !slices.Contains(r.options.Rules, c.Rule.ID)
	})
	slices.SortStableFunc(all, func(a, b fix.Candidate) int { return cmp.Compare(heat(b), heat(a)) })
	if most := cmp.Or(r.options.Most, DefaultMost); len(all) > most {
		r.notes = append(r.notes, fmt.Sprintf("%d candidates were found, and the first %d were tried", len(all), most))
		all = all[:most]
	}
	return all
}

// sizeAtRunTime reports whether a line makes an object that could be on the stack if its size were known.
func sizeAtRunTime(a verdict.Allocation) bool {
	return a.Kind == why.SizeAtRunTime || slices.ContainsFunc(a.Calls, func(c why.Call) bool {
		return c.Kind == why.SizeAtRunTime
	})
}

// testBase runs the tests of the unchanged package, because tests that already fail prove nothing. It leaves out vet if
// vet finds something there.
func (r *run) testBase(ctx context.Context) error {
	with, result, err := r.test(ctx, r.subject)
	if err != nil {
		return err
	}
	p := r.subject
	if !result.OK {
		return &NotMeasured{fmt.Sprintf("the tests of %s fail%s as they are, so they prove nothing about an edit:\n%s",
			p.ImportPath, with, tail(result.Output))}
	}
	if result, err = p.Vet(ctx); err != nil {
		return err
	}
	if r.vet = result.OK; !r.vet {
		r.notes = append(r.notes, "go vet reports problems in the package as it is, "+
			"so it was not run on the edits")
	}
	return nil
}

func (r *run) tests() userpkg.TestOptions {
	return userpkg.TestOptions{Limit: cmp.Or(r.options.Limit, time.Minute), Args: r.options.Measure.Args,
		Skip: drawnTest}
}

// tail returns the last lines of an output.
func tail(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
