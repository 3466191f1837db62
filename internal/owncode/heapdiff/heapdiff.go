// Package heapdiff compares the heap profiles of two versions of a program: which lines of a module allocate more or less
// per unit, such as a request, and which reasons changed.
//
// The profiles are samples, so that their figures differ although nothing changed. A difference counts only if chance
// hardly explains it (noise.go), and if it is large enough to matter. Lines are paired by their functions and texts
// (pair.go), as package compare does for verdicts.
package heapdiff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/why"
)

// Schema names the JSON form of a Comparison.
const Schema = "checkalloc/profile-comparison/1"

// A Side is one of two profiles.
type Side struct {
	Label string // names the side to the reader
	// Report has totals, not figures per unit.
	Report *heapprofile.Report
	// Per is the unit of both sides and its number in this one, nil to compare totals.
	Per *heapprofile.Per
}

// A Comparison is the changes from one profile, the old, to another, the new. No list in it is nil.
type Comparison struct {
	Schema  string `json:"schema"`
	Module  string `json:"module"`
	Measure string `json:"measure"` // as in a heapprofile.Report
	Old     Origin `json:"old"`
	New     Origin `json:"new"`
	// Notes are what the reader has to know about the figures and the reasons, in whole sentences.
	Notes []string `json:"notes"`

	// More is true if a line, a package or the whole allocates more than before.
	More bool `json:"more"`
	// Objects and Bytes are of the whole profiles.
	Objects Figure `json:"objects"`
	Bytes   Figure `json:"bytes"`
	// Lines are the lines that changed, by kind in the order of compare.Kinds, and within each kind the largest change
	// of bytes first.
	Lines []Line `json:"lines"`
	// Outside are the packages that allocate without a line of the module on the stack, and whose figures changed.
	Outside []Outside `json:"outside"`
	// Unchanged is the number of lines that allocate as before as far as the samples tell, and Few of lines that have
	// too few samples to tell.
	Unchanged int `json:"unchanged"`
	Few       int `json:"few"`

	Same []Line `json:"-"` // the unchanged lines
}

// An Origin says where the figures of a side come from.
type Origin struct {
	Label    string           `json:"label"`
	Revision string           `json:"revision,omitempty"` // as in a heapprofile.Report
	Go       string           `json:"go"`
	GOOS     string           `json:"goos"`
	GOARCH   string           `json:"goarch"`
	Taken    time.Time        `json:"taken,omitzero"`
	Per      *heapprofile.Per `json:"per,omitempty"`
	Rate     int64            `json:"rate"`
}

// A Figure is a figure of both sides, per unit if there is one.
type Figure struct {
	Old float64 `json:"old"`
	New float64 `json:"new"`
	// Margin is how far the difference may be from the truth, in 19 of 20 cases.
	Margin float64 `json:"margin"`
	// Changed is true if the difference counts.
	Changed bool `json:"changed"`
}

// A Line is a source line of the module before and after the change.
type Line struct {
	Kind    string `json:"kind"` // as of a compare.Line, "" if the line is unchanged
	Old     At     `json:"old"`
	New     At     `json:"new"`
	Objects Figure `json:"objects"`
	Bytes   Figure `json:"bytes"`
	// ReasonChanged is true if the line allocates on both sides, for different reasons.
	ReasonChanged bool `json:"reason_changed"`
	// Once is true if the line allocates as much in both profiles, though one has many more units than the other. It
	// probably runs once, when the program starts, and the division by units alone changed its figures.
	Once bool `json:"once,omitempty"`
}

// An At is a line on one side.
type At struct {
	// Places are as of a compare.At. A place without a line is a whole function, whose lines cannot be found in the
	// sources.
	Places  []compare.Place `json:"places"`
	Samples int64           `json:"samples"`
	Why     string          `json:"why"`
	Reasons []why.Reason    `json:"reasons"`
}

// Outside is what a package allocates without a line of the module on the stack.
type Outside struct {
	Package string `json:"package"`
	Objects Figure `json:"objects"`
	Bytes   Figure `json:"bytes"`
	Once    bool   `json:"once,omitempty"` // as of a Line
}

// Compare returns the changes from old to new. The error says why the profiles cannot be compared.
func Compare(old, new Side) (*Comparison, error) {
	a, b := old.Report, new.Report
	if rate(a) != rate(b) {
		return nil, fmt.Errorf("the profiles were sampled every %d and every %d bytes, and compared are profiles of equal "+
			"rates: give both programs the same runtime.MemProfileRate", rate(a), rate(b))
	}
	c := &Comparison{
		Schema: Schema, Module: cmp.Or(b.Module, a.Module), Measure: b.Measure, Old: origin(old), New: origin(new),
		Notes: []string{}, Lines: []Line{}, Outside: []Outside{},
	}
	pairs, outside := pairLines(a, b), pairOutside(a.Outside, b.Outside)
	t := newTest(old, new)
	for _, p := range slices.Concat(pairs, outside) {
		t.count(p.old.sum, p.new.sum)
	}
	var before, after sum
	for _, p := range slices.Concat(pairs, outside) {
		before.add(p.old.sum)
		after.add(p.new.sum)
	}
	c.Objects, c.Bytes = t.figures(before, after)
	// With fewer units, the whole has a larger part of what the program allocates once.
	c.More = direction(c.Objects, c.Bytes) > 0 && (t.units[1] >= t.units[0] || after.bytes > before.bytes)
	for _, p := range pairs {
		c.addLine(t, p)
	}
	for _, p := range outside {
		o := Outside{Package: p.new.name, Once: t.once(p.old.sum, p.new.sum)}
		o.Objects, o.Bytes = t.figures(p.old.sum, p.new.sum)
		if o.Objects.Changed || o.Bytes.Changed {
			c.Outside = append(c.Outside, o)
			c.More = c.More || direction(o.Objects, o.Bytes) > 0 && !o.Once
		}
	}
	c.note(a, b)
	c.sort()
	return c, nil
}

// rate returns the rate of a profile, the runtime's default if it is not known.
func rate(r *heapprofile.Report) int64 { return cmp.Or(r.Rate, heapprofile.DefaultRate) }

func origin(s Side) Origin {
	r := s.Report
	return Origin{s.Label, r.Revision, r.Go, r.GOOS, r.GOARCH, r.Taken, s.Per, r.Rate}
}

// addLine adds a line if it changed, and counts it.
func (c *Comparison) addLine(t *test, p pair) {
	l := Line{Old: p.old.at(), New: p.new.at()}
	l.Objects, l.Bytes = t.figures(p.old.sum, p.new.sum)
	switch way := direction(l.Objects, l.Bytes); {
	case way > 0 && p.old.zero():
		l.Kind = compare.Started
	case way > 0:
		l.Kind = compare.More
	case way < 0 && p.new.zero():
		l.Kind = compare.Stopped
	case way < 0:
		l.Kind = compare.Fewer
	case t.few(p.old.sum, p.new.sum):
		c.Few++
		return
	}
	l.ReasonChanged = reasonChanged(p, l.Kind != "")
	if l.Kind == "" && l.ReasonChanged {
		l.Kind = compare.Reason
	}
	if l.Kind == "" {
		c.Unchanged++
		c.Same = append(c.Same, l)
		return
	}
	l.Once = t.once(p.old.sum, p.new.sum)
	c.Lines = append(c.Lines, l)
	c.More = c.More || !l.Once && (l.Kind == compare.Started || l.Kind == compare.More)
}

// direction returns 1 if figures went up, -1 if they went down, and 0 if they did not change. The bytes count, since they
// decide how often the collector runs, and the objects if the bytes are unchanged.
func direction(objects, bytes Figure) int {
	switch {
	case bytes.Changed:
		return cmp.Compare(bytes.New, bytes.Old)
	case objects.Changed:
		return cmp.Compare(objects.New, objects.Old)
	}
	return 0
}

// reasonChanged reports whether a line that allocates on both sides does so for other reasons. A reason more or less is
// a change only if the figures changed: otherwise there may only be no sample of it. Words that differ because they name
// what an edited line has are no change if the kinds of the reasons are the same.
func reasonChanged(p pair, changed bool) bool {
	was, is := p.old.whys(), p.new.whys()
	if len(was) == 0 || len(is) == 0 {
		return false
	}
	if slices.Equal(was, is) {
		return compare.OtherReasons((&Line{Old: At{Places: p.old.places, Reasons: p.old.at().Reasons},
			New: At{Places: p.new.places, Reasons: p.new.at().Reasons}}).Compared())
	}
	if kinds := p.old.kinds(); p.edited() && len(kinds) > 0 && slices.Equal(kinds, p.new.kinds()) {
		return false
	}
	return changed || !slices.ContainsFunc(is, func(why string) bool { return slices.Contains(was, why) })
}

// note adds notes on the differences between the sides other than the code.
func (c *Comparison) note(old, new *heapprofile.Report) {
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	if a, b := old.Go, new.Go; a != b && a != "" && b != "" {
		note("The programs were compiled with %s and with %s, whose reasons differ in words.", a, b)
	}
	if a, b := old.GOOS+"/"+old.GOARCH, new.GOOS+"/"+new.GOARCH; a != b && old.GOOS != "" && new.GOOS != "" {
		note("The programs were compiled for %s and for %s: sizes differ between platforms.", a, b)
	}
	if slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Once }) ||
		slices.ContainsFunc(c.Outside, func(o Outside) bool { return o.Once }) {
		note("What both profiles have once, such as the start of the program, is divided by different numbers and does not " +
			"count as more: compare profiles that cover about the same number.")
	}
	for _, text := range old.Notes {
		if slices.Contains(new.Notes, text) {
			note("%s", text)
		} else {
			note("%s: %s", c.Old.Label, text)
		}
	}
	for _, text := range new.Notes {
		if !slices.Contains(old.Notes, text) {
			note("%s: %s", c.New.Label, text)
		}
	}
}

func (c *Comparison) sort() {
	kinds := compare.Kinds()
	change := func(f Figure) float64 { return -math.Abs(f.New - f.Old) }
	slices.SortStableFunc(c.Lines, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(change(a.Bytes), change(b.Bytes)),
			cmp.Compare(change(a.Objects), change(b.Objects)),
		)
	})
	slices.SortStableFunc(c.Same, func(a, b Line) int { return cmp.Compare(b.Bytes.New, a.Bytes.New) })
	slices.SortStableFunc(c.Outside, func(a, b Outside) int {
		return cmp.Or(cmp.Compare(change(a.Bytes), change(b.Bytes)), strings.Compare(a.Package, b.Package))
	})
}
