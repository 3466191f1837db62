// Package compare compares two verdicts on the same package: the figures of each benchmark, and which source lines
// started or stopped allocating, allocate more or less, or allocate as before for another reason.
//
// Lines are matched by their function and text, so that a line that only moved is the same line. allocs/op and B/op are
// exact and compared as such. ns/op differ only if a statistical test of their samples says so.
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
	// Label names the side to the reader: a file or a revision.
	Label string
	// Verdict is nil if the package does not exist on this side.
	Verdict *verdict.Verdict
	// Source returns the text of a file by its base name, nil if there is none. Source may be nil: lines are then
	// matched by the text of allocating lines in the verdict.
	Source func(file string) []byte

	baseline bool // the verdict has no times, no steps of reasons, and lines with other numbers
}

// A Comparison is the changes from one verdict, the old, to another, the new. No list in it is nil.
type Comparison struct {
	Schema string `json:"schema"`
	// Package is the import path, the exercise or the title, whichever the new verdict has.
	Package string `json:"package"`
	Old     Origin `json:"old"`
	New     Origin `json:"new"`
	// Notes are differences other than the code: another release of Go, another platform.
	Notes []string `json:"notes"`

	// More is true if a benchmark or a line allocates more than before.
	More bool `json:"more"`
	// Benchmarks are the benchmarks that both sides have, in the new side's order.
	Benchmarks []Benchmark `json:"benchmarks"`
	OnlyOld    []string    `json:"only_old"` // benchmarks of the old side alone
	OnlyNew    []string    `json:"only_new"`
	// Lines are the lines that changed, by kind in the order of Kinds, and within each kind the largest change first.
	Lines []Line `json:"lines"`
	// Unchanged is the number of lines that allocate as before. A line counts once for each benchmark.
	Unchanged int `json:"unchanged"`

	baseline bool // the old side is one
}

// An Origin is the release, platform and label of a side's figures.
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
	Started = "started" // allocates now, and did not before
	More    = "more"    // more allocs/op; or as many, and more B/op
	Stopped = "stopped"
	Fewer   = "fewer"
	Reason  = "reason" // the same figures for another reason
)

// Kinds lists the kinds in the order in which lines are reported.
func Kinds() []string { return []string{Started, More, Stopped, Fewer, Reason} }

// A Line is the change of a source line's allocations in one benchmark.
type Line struct {
	Kind      string `json:"kind"`
	Benchmark string `json:"benchmark"`
	Old       At     `json:"old"`
	New       At     `json:"new"`
	// The new side's figures minus the old side's. Over all lines of a benchmark they add up, with its Elsewhere, to
	// the change of the benchmark's figures.
	Change
	// ReasonChanged is true if the line allocates on both sides, for different reasons.
	ReasonChanged bool `json:"reason_changed"`
	// Shared is true if the count of tiny objects is an estimate (see verdict.Allocation), so that the change may be
	// one of the estimate alone.
	Shared bool `json:"shared,omitempty"`
}

// An At is what a line allocates on one side.
type At struct {
	// Places is empty if the line does not exist on this side, and has several entries if a line was split or lines
	// were joined.
	Places      []Place          `json:"places"`
	AllocsPerOp float64          `json:"allocs_per_op"`
	BytesPerOp  float64          `json:"bytes_per_op"`
	Why         string           `json:"why"` // in words; "" if the line does not allocate
	Reasons     []verdict.Reason `json:"reasons"`
}

// A Place is a source line.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0 if it is not known, in a baseline
	Func string `json:"func"`
	Code string `json:"code"` // trimmed

	order int // distinguishes lines of a baseline
}

// Differs reports whether the sides differ in more than noise.
func (c *Comparison) Differs() bool {
	return c.Old.Missing || c.New.Missing || len(c.Lines)+len(c.OnlyOld)+len(c.OnlyNew) > 0 ||
		slices.ContainsFunc(c.Benchmarks, Benchmark.Differs)
}

// SamePackage returns an error if two verdicts are about different packages or exercises. It names both.
func SamePackage(old, new *verdict.Verdict) error {
	if a, b := subject(old), subject(new); a != b {
		return fmt.Errorf("the verdicts are about different packages, %q and %q: compare two of the same", a, b)
	}
	return nil
}

// subject returns the name of what a verdict is about.
func subject(v *verdict.Verdict) string { return cmp.Or(v.Package, v.Exercise, v.Title) }

// Compare returns the changes from old to new. It assumes that both are about the same package; see SamePackage. The
// error says which side has nothing to compare, and why.
func Compare(old, new Side) (*Comparison, error) {
	if err := cmp.Or(measured(old), measured(new)); err != nil {
		return nil, err
	}
	c := &Comparison{
		Schema: Schema, Old: origin(old), New: origin(new), Notes: []string{},
		Benchmarks: []Benchmark{}, OnlyOld: []string{}, OnlyNew: []string{}, Lines: []Line{}, baseline: old.baseline,
	}
	var empty verdict.Verdict
	a, b := cmp.Or(old.Verdict, &empty), cmp.Or(new.Verdict, &empty)
	c.Package = cmp.Or(subject(b), subject(a))
	c.benchmarks(a.Benchmarks, b.Benchmarks)
	if !c.baseline && len(c.Benchmarks) == 0 && len(a.Benchmarks) > 0 && len(b.Benchmarks) > 0 {
		return nil, fmt.Errorf("no benchmark is on both sides: %s has %s, %s has %s", old.Label, strings.Join(c.OnlyOld,
			", "), new.Label, strings.Join(c.OnlyNew, ", "))
	}
	old.Verdict, new.Verdict = a, b
	groups := MatchLines(old, new)
	for i := range c.Benchmarks {
		c.lines(&c.Benchmarks[i], groups, a, b)
	}
	c.note(a, b)
	c.sort()
	if c.baseline {
		c.hideNumbers()
	}
	return c, nil
}

// measured returns an error if the benchmarks of a side did not run.
func measured(s Side) error {
	v := s.Verdict
	if v == nil || v.Stage == "" || v.Stage == verdict.StageBenchmark && len(v.Benchmarks) > 0 {
		return nil
	}
	text := v.Tests.Output
	if len(v.Errors) > 0 {
		if text = v.Errors[0].Message; v.Errors[0].File != "" {
			text = fmt.Sprintf("%s:%d: %s", v.Errors[0].File, v.Errors[0].Line, text)
		}
	}
	if text = strings.TrimSpace(text); text != "" {
		text = "\n" + text
	}
	return fmt.Errorf("%s was not measured: its %s stage failed, so there is nothing to compare%s", s.Label,
		v.Stage, text)
}

func origin(s Side) Origin {
	v := cmp.Or(s.Verdict, &verdict.Verdict{})
	return Origin{s.Label, s.Verdict == nil, v.Go, v.GOOS, v.GOARCH, v.Engine}
}

// note adds notes on the differences between the sides other than the code.
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
	differ("measured with the %s engine and with %s: ns/op cannot be compared", old.Engine, new.Engine)
	if c.baseline {
		return // it has no numbers of operations
	}
	for _, b := range c.Benchmarks {
		// The figures of a steady state do not depend on the number of operations, except for occasional allocations.
		if d := difference(b.Allocs.Old, b.Allocs.New); b.OldN != b.NewN && d != 0 && math.Abs(d) < 1 {
			c.Notes = append(c.Notes,
				fmt.Sprintf("%s ran %d and %d operations: occasional allocations are divided by different numbers",
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

// Place returns the line's present position, or the old one if the line is gone.
func (l *Line) Place() Place {
	if len(l.New.Places) > 0 {
		return l.New.Places[0]
	}
	return l.Old.Places[0]
}

func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
