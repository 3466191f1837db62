package suggest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/verdict"
)

// Schema names the JSON form of a Result.
const Schema = "checkalloc/suggestions/1"

// A Result is what was found for a package. No list in it is nil.
type Result struct {
	Schema      string       `json:"schema"`
	Package     string       `json:"package"`
	Go          string       `json:"go"`
	GOOS        string       `json:"goos"`
	GOARCH      string       `json:"goarch"`
	Benchmarks  []Figure     `json:"benchmarks"`  // of the package as it is
	Suggestions []Suggestion `json:"suggestions"` // proven and unproven, the largest gain first
	Rejected    []Suggestion `json:"rejected"`    // tried, and not worth it or wrong
	// Together are the proven suggestions that help together; nil if none is proven.
	Together *Combination `json:"together"`
	Notes    []string     `json:"notes"`
}

// A Figure is what a benchmark allocates.
type Figure struct {
	Name        string  `json:"name"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
}

// An Outcome is how the proof of a candidate ended.
type Outcome string

const (
	Proven   Outcome = "proven"
	Unproven Outcome = "unproven" // it allocates less, and no test executes what it changes
	Rejected Outcome = "rejected"
)

// A Suggestion is a candidate and what its proof found.
type Suggestion struct {
	ID      int     `json:"id"` // from 1, in this result
	Outcome Outcome `json:"outcome"`
	Rule    string  `json:"rule"`
	Title   string  `json:"title"`
	Message string  `json:"message"`
	Page    string  `json:"page"`    // of the book
	Assumes string  `json:"assumes"` // what nobody has proven, in a sentence, or ""
	Stage   Stage   `json:"stage"`   // at which it was rejected, or ""
	Why     string  `json:"why"`     // it was rejected or is unproven
	// Lines are the allocating lines that it is about.
	Lines      []Line              `json:"lines"`
	Benchmarks []compare.Benchmark `json:"benchmarks"` // the benchmarks whose figures changed, before and after
	Tests      Tests               `json:"tests"`
	Together   bool                `json:"together"` // whether it is part of Result.Together
	Changes    []Change            `json:"changes"`
	Diff       string              `json:"diff"` // unified
	Files      map[string][]byte   `json:"-"`    // the new text of the files that it changes, by base name
}

// A Stage is the part of a proof that failed.
type Stage string

const (
	StageTypes   Stage = "types"   // the edit does not type-check
	StageBuild   Stage = "build"   // it does not build, with the tests
	StageFigures Stage = "figures" // nothing allocates less, or something allocates more
	StageTests   Stage = "tests"   // vet or a test fails
	StageInputs  Stage = "inputs"  // a changed function differs for a drawn input
	StageTime    Stage = "time"    // it is slower
)

// A Line is a line that allocates, in the benchmark in which it does so most.
type Line struct {
	File        string  `json:"file"`
	Line        int     `json:"line"`
	Func        string  `json:"func"`
	Code        string  `json:"code"`
	Benchmark   string  `json:"benchmark"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	Why         string  `json:"why"`
}

// Tests are the tests that executed the lines that a suggestion changes.
type Tests struct {
	Names []string `json:"names"`
	All   bool     `json:"all"`   // whether Names are all of them
	Count int      `json:"count"` // how often the least executed of these lines was executed
	Race  bool     `json:"race"`  // whether the tests passed with the race detector
	// Inputs are the drawn inputs on which the changed functions and the old ones agreed; 0 if none could be drawn.
	Inputs int `json:"inputs,omitempty"`
}

// A Change replaces lines of a file: the lines from Start to before End, counted from 1. An editor can apply it as it
// stands.
type Change struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// A Combination is several suggestions together.
type Combination struct {
	IDs        []int               `json:"ids"`
	Benchmarks []compare.Benchmark `json:"benchmarks"`
	Diff       string              `json:"diff"`
	Files      map[string][]byte   `json:"-"` // as in a Suggestion
}

func newResult(v *verdict.Verdict) *Result {
	r := &Result{Schema: Schema, Package: v.Package, Go: v.Go, GOOS: v.GOOS, GOARCH: v.GOARCH, Benchmarks: []Figure{},
		Suggestions: []Suggestion{}, Rejected: []Suggestion{}, Notes: []string{}}
	for _, b := range v.Benchmarks {
		r.Benchmarks = append(r.Benchmarks, Figure{b.Name, b.AllocsPerOp, b.BytesPerOp})
	}
	return r
}

// add adds what came of the candidates for a package with these texts.
func (r *Result) add(old map[string][]byte, attempts []*attempt) {
	for _, a := range attempts {
		a.Changes, a.Diff = []Change{}, unified(old, a.Files)
		for _, name := range slices.Sorted(maps.Keys(a.Files)) {
			a.Changes = append(a.Changes, Changes(name, old[name], a.Files[name])...)
		}
		if a.Outcome == Rejected {
			r.Rejected = append(r.Rejected, a.Suggestion)
		} else {
			r.Suggestions = append(r.Suggestions, a.Suggestion)
		}
	}
	slices.SortStableFunc(r.Suggestions, func(x, y Suggestion) int {
		return cmp.Or(cmp.Compare(x.Outcome, y.Outcome), // "proven" comes before "unproven"
			gain(y.Benchmarks).compare(gain(x.Benchmarks)))
	})
}

// A saving is allocs/op and B/op, summed over benchmarks.
type saving struct{ allocs, bytes float64 }

func gain(all []compare.Benchmark) (s saving) {
	for _, b := range all {
		s.allocs += b.Allocs.Old - b.Allocs.New
		s.bytes += b.Bytes.Old - b.Bytes.New
	}
	return s
}

func (s saving) compare(other saving) int {
	return cmp.Or(cmp.Compare(s.allocs, other.allocs), cmp.Compare(s.bytes, other.bytes))
}

// changed returns the benchmarks whose exact figures changed.
func changed(all []compare.Benchmark) []compare.Benchmark {
	list := []compare.Benchmark{}
	for _, b := range all {
		if b.Allocs.Old != b.Allocs.New || b.Bytes.Old != b.Bytes.New {
			list = append(list, b)
		}
	}
	return list
}

// linesOf returns the allocating lines of a verdict that a candidate is about.
func linesOf(v *verdict.Verdict, places []fix.Place) []Line {
	lines := []Line{}
	for _, a := range v.Allocations {
		if !slices.ContainsFunc(placesOf(a), func(p fix.Place) bool { return slices.Contains(places, p) }) {
			continue
		}
		l := Line{a.File, a.Line, a.Func, a.Code, a.Benchmark, a.AllocsPerOp, a.BytesPerOp, a.Why}
		if i := slices.IndexFunc(lines, func(l Line) bool { return l.File == a.File && l.Line == a.Line }); i < 0 {
			lines = append(lines, l)
		} else if l.AllocsPerOp > lines[i].AllocsPerOp {
			lines[i] = l
		}
	}
	return lines
}

// placesOf returns the line that allocates, and the lines that lead its value to the heap.
func placesOf(a verdict.Allocation) []fix.Place {
	places := []fix.Place{{File: a.File, Line: a.Line}}
	for _, reason := range a.Reasons {
		for _, step := range reason.Flow {
			places = append(places, fix.Place{File: step.File, Line: step.Line})
		}
	}
	return places
}

// unified returns the differences of all files, with their base names.
func unified(old, new map[string][]byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(new)) {
		text := diff.Diff("a/"+name, old[name], "b/"+name, new[name])
		// The first line only repeats the names.
		if first, rest, ok := strings.Cut(string(text), "\n"); ok && strings.HasPrefix(first, "diff ") {
			text = []byte(rest)
		}
		b.Write(text)
	}
	return b.String()
}

// Changes returns the lines of a file that differ, without the lines around them.
func Changes(name string, old, new []byte) (list []Change) {
	before, after := slices.Collect(bytes.Lines(old)), slices.Collect(bytes.Lines(new))
	done := compare.Pair{}
	for _, p := range append(compare.Align(old, new), compare.Pair{Old: len(before), New: len(after)}) {
		if p != done {
			text := string(bytes.Join(after[done.New:p.New], nil))
			list = append(list, Change{File: name, Start: done.Old + 1, End: p.Old + 1, Text: text})
		}
		done = compare.Pair{Old: p.Old + 1, New: p.New + 1}
	}
	return list
}
