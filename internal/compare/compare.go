// Package compare compares two verdicts on the same package: the figures of each benchmark, and which source lines
// started or stopped allocating, allocate more or less, or allocate as before for another reason. "checkalloc compare"
// uses it, and present/terminal shows the result.
//
// Lines are matched by their function and text, so that a line that only moved is the same line. allocs/op and B/op are
// exact and compared as such; of ns/op it is said that they differ only where a statistical test of their samples says
// so.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"onthestack/internal/verdict"
)

// Schema names the JSON form of a Comparison.
const Schema = "checkalloc/comparison/1"

// A Side is one of two verdicts.
type Side struct {
	// Label is how the reader calls the side: a file's name, a revision.
	Label string
	// Verdict is nil where the package does not exist on this side.
	Verdict *verdict.Verdict
	// Source returns the text of a file by its base name, nil where there is none. It may be nil: lines are then matched
	// by the text that the verdict has of those that allocate.
	Source func(file string) []byte
}

// A Comparison is what changed from one verdict, the old, to another, the new. No list in it is nil.
type Comparison struct {
	Schema string `json:"schema"`
	// Package is the import path, the exercise or the title, whichever the new verdict has.
	Package string `json:"package"`
	Old     Origin `json:"old"`
	New     Origin `json:"new"`
	// Notes are what keeps the two from being alike in all but the code: another release of Go, another platform.
	Notes []string `json:"notes"`

	// More is true where a benchmark or a line allocates more than before.
	More bool `json:"more"`
	// Benchmarks are those that both sides have, in the new one's order.
	Benchmarks []Benchmark `json:"benchmarks"`
	OnlyOld    []string    `json:"only_old"` // benchmarks of the old side alone
	OnlyNew    []string    `json:"only_new"`
	// Lines are the lines that changed, by kind in the order of Kinds, within each the greatest change first.
	Lines []Line `json:"lines"`
	// Unchanged counts the lines, each once for a benchmark, that allocate as before.
	Unchanged int `json:"unchanged"`
}

// An Origin is where a side's figures are from.
type Origin struct {
	Label   string `json:"label"`
	Missing bool   `json:"missing,omitempty"` // the package does not exist on this side
	Go      string `json:"go"`
	GOOS    string `json:"goos"`
	GOARCH  string `json:"goarch"`
	Engine  string `json:"engine"`
}

// The kinds of a Line.
const (
	Started = "started" // allocates, and did not
	More    = "more"    // more allocs/op; or as many, and more B/op
	Stopped = "stopped"
	Fewer   = "fewer"
	Reason  = "reason" // the same figures for another reason
)

// Kinds lists the kinds in the order in which lines are reported.
func Kinds() []string { return []string{Started, More, Stopped, Fewer, Reason} }

// A Line is how a source line's allocations changed in one benchmark.
type Line struct {
	Kind      string `json:"kind"`
	Benchmark string `json:"benchmark"`
	Old       At     `json:"old"`
	New       At     `json:"new"`
	// AllocsPerOp and BytesPerOp are the new side's less the old one's. Their sums over a benchmark's lines, with its
	// Elsewhere, are the differences of the benchmark's figures.
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	// ReasonChanged is true where the line allocates on both sides, and why is not the same.
	ReasonChanged bool `json:"reason_changed"`
	// Shared is true where a count of tiny objects could not be told apart from that of other lines, see
	// verdict.Allocation: the change may be one of them alone.
	Shared bool `json:"shared,omitempty"`
}

// An At is what a line allocates on one side.
type At struct {
	// Places is empty where no such line is known on this side, and has several where a line was split or lines were
	// joined.
	Places      []Place          `json:"places"`
	AllocsPerOp float64          `json:"allocs_per_op"`
	BytesPerOp  float64          `json:"bytes_per_op"`
	Why         string           `json:"why"` // in words; "" where the line does not allocate
	Reasons     []verdict.Reason `json:"reasons"`
}

// A Place is a source line.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func"`
	Code string `json:"code"` // trimmed
}

// SamePackage returns an error that names both where two verdicts are about different packages or exercises.
func SamePackage(old, new *verdict.Verdict) error {
	if a, b := subject(old), subject(new); a != b {
		return fmt.Errorf("the verdicts are about different packages, %q and %q: compare two of the same", a, b)
	}
	return nil
}

// subject is what a verdict is about.
func subject(v *verdict.Verdict) string { return cmp.Or(v.Package, v.Exercise, v.Title) }

// Compare tells what changed from old to new. The sides are taken to be about the same package, see SamePackage. The
// error says which side has nothing to compare, and why.
func Compare(old, new Side) (*Comparison, error) {
	for _, s := range []Side{old, new} {
		if err := measured(s); err != nil {
			return nil, err
		}
	}
	c := &Comparison{
		Schema: Schema, Old: origin(old), New: origin(new), Notes: []string{},
		Benchmarks: []Benchmark{}, OnlyOld: []string{}, OnlyNew: []string{}, Lines: []Line{},
	}
	var empty verdict.Verdict
	a, b := cmp.Or(old.Verdict, &empty), cmp.Or(new.Verdict, &empty)
	c.Package = cmp.Or(subject(b), subject(a))
	c.benchmarks(a.Benchmarks, b.Benchmarks)
	if len(c.Benchmarks) == 0 && len(a.Benchmarks) > 0 && len(b.Benchmarks) > 0 {
		return nil, fmt.Errorf("no benchmark is on both sides: %s has %s, %s has %s", old.Label, strings.Join(c.OnlyOld,
			", "), new.Label, strings.Join(c.OnlyNew, ", "))
	}
	old.Verdict, new.Verdict = a, b
	groups := matchLines(old, new)
	for i := range c.Benchmarks {
		c.lines(&c.Benchmarks[i], groups, a, b)
	}
	c.note(a, b)
	c.sort()
	return c, nil
}

// measured returns an error where the benchmarks of a side never ran.
func measured(s Side) error {
	v := s.Verdict
	if v == nil || v.Stage == "" || v.Stage == verdict.StageBenchmark && len(v.Benchmarks) > 0 {
		return nil
	}
	text := v.Tests.Output
	if len(v.Errors) > 0 {
		p := v.Errors[0]
		text = p.Message
		if p.File != "" {
			text = fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
		}
	}
	if text = strings.TrimSpace(text); text != "" {
		text = "\n" + text
	}
	return fmt.Errorf("%s was not measured: its %s stage failed, so there is nothing to compare%s", s.Label, v.Stage, text)
}

func origin(s Side) Origin {
	if s.Verdict == nil {
		return Origin{Label: s.Label, Missing: true}
	}
	v := s.Verdict
	return Origin{Label: s.Label, Go: v.Go, GOOS: v.GOOS, GOARCH: v.GOARCH, Engine: v.Engine}
}

// note says what, beside the code, is not the same on both sides.
func (c *Comparison) note(old, new *verdict.Verdict) {
	if c.Old.Missing || c.New.Missing {
		return
	}
	differ := func(format, a, b string) {
		if a != b && a != "" && b != "" {
			c.Notes = append(c.Notes, fmt.Sprintf(format, a, b))
		}
	}
	differ("measured with %s and with %s", old.Go, new.Go)
	differ("measured on %s and on %s: sizes differ between platforms", old.GOOS+"/"+old.GOARCH, new.GOOS+"/"+new.GOARCH)
	differ("measured with the %s engine and with %s: ns/op say nothing", old.Engine, new.Engine)
	for _, b := range c.Benchmarks {
		if b.OldN != b.NewN {
			c.Notes = append(c.Notes,
				fmt.Sprintf("%s ran %d and %d operations: what is allocated once in a while is divided by another number",
					b.Name, b.OldN, b.NewN))
		}
	}
}

func (c *Comparison) sort() {
	kinds := Kinds()
	slices.SortStableFunc(c.Lines, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(math.Abs(b.AllocsPerOp), math.Abs(a.AllocsPerOp)),
			cmp.Compare(math.Abs(b.BytesPerOp), math.Abs(a.BytesPerOp)),
			comparePlaces(a.Place(), b.Place()),
		)
	})
}

// Place is where to find the line now, or where it was if it is gone.
func (l *Line) Place() Place {
	if len(l.New.Places) > 0 {
		return l.New.Places[0]
	}
	return l.Old.Places[0]
}

func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
