// Package measure measures the book's listings: a Measurer on the installed Go, allocations as a check does, times, and
// what the compiler and commands print; a History on all releases since 1.4, allocations alone. "bookalloc measure" and
// "bookalloc history" use it; package bookdata stores the results.
package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/resultcache"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// Code is the package that computes the measurements of Measurer.Check and History.Check, for resultcache.Open.
const Code = "./tools/bookalloc/measure"

// Wanted are the measurements that the book shows.
type Wanted struct {
	// Listings are folders in the book's, slash-separated.
	Listings map[string]bool
	// Lines has the listings of which the book shows lines, with their reasons or with the compiler's report. Of the
	// others only figures are stored.
	Lines map[string]bool
	// Tables are groups of listings whose times are compared.
	Tables [][]string
	// Steps are the texts of the programs whose steps the book shows, by their files in the book's folder.
	Steps map[string]string
	// Output has the commands whose output the book shows, by listing and in the order of the pages.
	Output map[string][]string
}

// Only removes all listings but the named ones. With peers, it also keeps the listings that a table compares with them,
// because they have to be timed in the same session.
func (w *Wanted) Only(names []string, peers bool) error {
	keep := map[string]bool{}
	for _, name := range names {
		inListing := func(program string) bool { return path.Dir(program) == name }
		if !w.Listings[name] && w.Output[name] == nil &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(w.Steps)), inListing) {
			return fmt.Errorf("%s: no page shows what is measured of this listing today: name one of\n\t%s", name,
				strings.Join(slices.Sorted(maps.Keys(w.Listings)), "\n\t"))
		}
		keep[name] = true
		if peers {
			for _, peer := range w.peers(name) {
				keep[peer] = true
			}
		}
	}
	maps.DeleteFunc(w.Listings, func(name string, _ bool) bool { return !keep[name] })
	maps.DeleteFunc(w.Steps, func(name, _ string) bool { return !keep[path.Dir(name)] })
	maps.DeleteFunc(w.Output, func(name string, _ []string) bool { return !keep[name] })
	return nil
}

// peers returns the wanted listings whose times are compared with the times of name, directly or through others,
// including name.
func (w *Wanted) peers(name string) []string {
	found := []string{name}
	for i := 0; i < len(found); i++ {
		for _, table := range w.Tables {
			if !slices.Contains(table, found[i]) {
				continue
			}
			for _, peer := range table {
				if w.Listings[peer] && !slices.Contains(found, peer) {
					found = append(found, peer)
				}
			}
		}
	}
	return found
}

// A Measurer measures the listings of one book.
type Measurer struct {
	Root string // the repository
	Book string // the book's folder in it, slash-separated
	// Progress is called with what is being measured, formatted like Printf.
	Progress func(format string, args ...any)

	// Cache has the measurements of Check; nil for no cache.
	Cache *resultcache.Cache
	// Sample has the listings that Check measures again; nil for all.
	Sample map[string]bool

	tools   *build.Toolchain
	checker verdict.Checker
	// rounds is how often each benchmark's time is sampled in a session, benchTime how long a sample takes.
	rounds    int
	benchTime string
}

// listingTime is how long the tests and benchmarks of a listing may take, which may do more than an exercise, also on a
// busy machine.
const listingTime = 5 * time.Minute

// New returns a Measurer that runs listings natively.
func New(root, book string, progress func(format string, args ...any)) *Measurer {
	tools := build.New(build.DefaultLimits())
	limits := sandbox.CheckLimits()
	limits.Time = listingTime
	return &Measurer{
		Root: root, Book: book, Progress: progress, tools: tools,
		checker: verdict.Checker{Builder: tools, Runner: sandbox.Native{Limits: limits}},
		rounds:  12, benchTime: "100ms",
	}
}

func (m *Measurer) folder() string { return filepath.Join(m.Root, filepath.FromSlash(m.Book)) }

func (m *Measurer) fs() fs.FS { return os.DirFS(m.folder()) }

// Update measures what the book wants and writes the results. It always measures allocations. It measures times and runs
// commands only if their results are missing, or if the listing or Go has changed, so that a second run changes nothing. all means that w is of the whole book: measurements that it does not want are then removed.
func (m *Measurer) Update(ctx context.Context, w Wanted, all bool) error {
	listings := map[string]*bookdata.MeasuredListing{}
	for _, name := range slices.Sorted(maps.Keys(w.Listings)) {
		l, err := m.listing(ctx, name, w.Lines[name])
		if err != nil {
			return err
		}
		listings[name] = l
	}
	if err := m.times(ctx, w, listings); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(listings)) {
		if err := listings[name].Write(m.folder()); err != nil {
			return err
		}
	}
	recorded, err := m.recordSteps(ctx, w.Steps)
	if err != nil {
		return err
	}
	for _, r := range recorded {
		if err := r.Write(m.folder()); err != nil {
			return err
		}
	}
	if err := m.recordOutput(ctx, w, all); err != nil || !all {
		return err
	}
	return m.prune(w)
}

// prune removes measurements that no page shows.
func (m *Measurer) prune(w Wanted) error {
	stored, err := bookdata.MeasuredListings(m.fs())
	if err != nil {
		return err
	}
	var unwanted []string
	for _, name := range stored {
		if !w.Listings[name] {
			unwanted = append(unwanted, bookdata.MeasuredFile(name))
		}
	}
	recorded, err := bookdata.StepsFiles(m.fs())
	if err != nil {
		return err
	}
	for name := range w.Steps {
		recorded = slices.DeleteFunc(recorded, func(file string) bool { return file == bookdata.StepsFile(name) })
	}
	for _, file := range append(unwanted, recorded...) {
		m.Progress("%s: removed, no page shows it", file)
		if err := os.Remove(filepath.Join(m.folder(), filepath.FromSlash(file))); err != nil {
			return err
		}
	}
	return nil
}

// listing measures one listing except for its times, which it takes from the stored measurement if neither the listing
// nor Go has changed.
func (m *Measurer) listing(ctx context.Context, name string, lines bool) (*bookdata.MeasuredListing, error) {
	m.Progress("%s", name)
	files, err := bookdata.ReadPackage(m.fs(), name)
	if err != nil {
		return nil, err
	}
	part, err := bookdata.MeasuredPartOf(files)
	if err != nil {
		return nil, err
	}
	v, err := m.verdict(ctx, "", name, files)
	if err != nil {
		return nil, err
	}
	l := &bookdata.MeasuredListing{Listing: name, Source: part.Source(), Verdict: v}
	if old, err := bookdata.ReadMeasuredListing(m.fs(), name); err == nil && old.Source == l.Source &&
		old.Verdict.Go == v.Go && old.Platform() == l.Platform() {
		l.Timing = old.Timing
		setTimes(l)
	}
	if !lines {
		v.Allocations = []verdict.Allocation{}
	} else if l.Report, err = m.report(ctx, name); err != nil {
		return nil, err
	}
	return l, nil
}

// verdict measures a listing with the given files as a check does, with a release of Go; "" is the installed one.
func (m *Measurer) verdict(
	ctx context.Context,
	release, name string,
	files map[string][]byte,
) (*verdict.Verdict, error) {
	checker := m.checker
	if installed, err := m.tools.Version(); err != nil {
		return nil, err
	} else if release != "" && release != installed {
		if _, err := build.Fetch(ctx, release); err != nil {
			return nil, fmt.Errorf("%s was measured with a Go that is not installed: %w", name, err)
		}
		checker.Builder = m.tools.Release(release)
	}
	p, err := verdict.NewPackage(name, "onthestack/"+m.Book+"/"+name, files)
	if err != nil {
		return nil, err
	}
	v, err := checker.Measure(ctx, p)
	if err != nil {
		return nil, err
	}
	if !v.Pass {
		var problem strings.Builder
		for _, e := range v.Errors {
			fmt.Fprintf(&problem, "\n\t%s:%d: %s", e.File, e.Line, e.Message)
		}
		return nil, fmt.Errorf("%s: the %s stage failed: correct the listing%s\n%s", name, v.Stage, &problem,
			v.Tests.Output)
	}
	return v, nil
}

// Check measures the allocations of the listings in Sample again, with the Go release that measured them before, and
// compares their figures and reasons with what is stored. Its error joins the differences. Whether a listing
// has changed since it was measured is checked without measuring, by expand.Book.Check.
func (m *Measurer) Check(ctx context.Context, w Wanted, all bool) error {
	var problems []error
	problem := func(listing, text string) {
		problems = append(problems, fmt.Errorf("%s/%s: %s: run \"make measure\"", m.Book,
			bookdata.MeasuredFile(listing), text))
	}
	type result struct {
		stored  *bookdata.MeasuredListing
		verdict *verdict.Verdict
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(w.Listings)), func(name string) bool { return !m.sampled(name) })
	for i, wait := range execution.InOrder(ctx, len(names), func(ctx context.Context, i int) (r result, err error) {
		if r.stored, err = bookdata.ReadMeasuredListing(m.fs(), names[i]); err != nil {
			return r, err
		}
		files, err := bookdata.ReadPackage(m.fs(), names[i])
		if err != nil {
			return r, err
		}
		release := r.stored.Verdict.Go
		r.verdict, err = resultcache.Get(m.Cache, func() (*verdict.Verdict, bool, error) {
			v, err := m.verdict(ctx, release, names[i], files)
			return v, true, err
		}, "listing", release, names[i], files)
		return r, err
	}) {
		r, err := wait()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, difference := range differences(names[i], r.stored, r.verdict) {
			problem(names[i], difference)
		}
	}
	if all {
		stored, err := bookdata.MeasuredListings(m.fs())
		if err != nil {
			return err
		}
		for _, name := range stored {
			if !w.Listings[name] {
				problem(name, "no page shows this listing")
			}
		}
	}
	problems = append(problems, m.checkSteps(ctx, w.Steps))
	return errors.Join(problems...)
}

// same reports whether two figures are equal, but for a ten-thousandth: when a collection empties the pools of the
// standard library depends on chance, and a service uses many of them.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-4*a }

// differences returns how the figures and reasons of a listing differ from what is stored.
func differences(name string, stored *bookdata.MeasuredListing, v *verdict.Verdict) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, b := range v.Benchmarks {
		old, err := stored.Benchmark(b.Name)
		if err != nil {
			add("%s is not in it", b.Name)
			continue
		}
		if !same(old.AllocsPerOp, b.AllocsPerOp) || !same(old.BytesPerOp, b.BytesPerOp) {
			add("%s of %s: stored %v allocs/op and %v B/op (%s), measured %v allocs/op and %v B/op (%s)", b.Name, name,
				old.AllocsPerOp, old.BytesPerOp, stored.Verdict.Go, b.AllocsPerOp, b.BytesPerOp, v.Go)
		}
	}
	if stored.Report == nil {
		return all
	}
	was, is := reasons(stored.Verdict), reasons(v)
	for _, reason := range without(was, is) {
		add("this reason is stored and was not given now: %s", reason)
	}
	for _, reason := range without(is, was) {
		add("this reason was given now and is not stored: %s", reason)
	}
	return all
}

// sampled reports whether Check measures a listing again.
func (m *Measurer) sampled(listing string) bool { return m.Sample == nil || m.Sample[listing] }

// reasons returns why each line allocates, with its benchmark.
func reasons(v *verdict.Verdict) (all []string) {
	for _, a := range v.Allocations {
		all = append(all, fmt.Sprintf("%s, %s:%d: %s", a.Benchmark, a.File, a.Line, a.Why))
	}
	return all
}

// without returns the texts of one list that are not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
