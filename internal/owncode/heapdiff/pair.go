package heapdiff

import (
	"path"
	"slices"
	"strings"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A pair is what corresponds to each other in the two profiles: usually a line before and after the change.
type pair struct{ old, new half }

// edited reports whether the texts of the lines differ.
func (p pair) edited() bool {
	return (&Line{Old: At{Places: p.old.places}, New: At{Places: p.new.places}}).Compared().Edited()
}

// A half is one side of a pair.
type half struct {
	sum
	name   string // of a package
	places []compare.Place
	lines  []heapprofile.Line
}

func (h *half) addLine(l heapprofile.Line) {
	h.add(sum{l.Objects, l.Bytes, l.Sampled})
	h.lines = append(h.lines, l)
}

// whys returns the distinct reasons of the lines in words, sorted.
func (h *half) whys() (all []string) {
	for _, l := range h.lines {
		if l.Why != "" {
			all = append(all, strings.Split(l.Why, "; ")...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// kinds returns the distinct kinds of the lines' reasons, sorted.
func (h *half) kinds() (all []why.Kind) {
	for _, l := range h.lines {
		if l.Kind != "" {
			all = append(all, l.Kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// at returns the half for the reader.
func (h *half) at() At {
	at := At{Places: h.places, Samples: int64(h.sampled.Samples + 0.5), Reasons: []why.Reason{}}
	if at.Places == nil {
		at.Places = []compare.Place{}
	}
	var clauses []string
	for _, l := range h.lines {
		at.Reasons = append(at.Reasons, l.Reasons...)
		if l.Why != "" && !slices.Contains(clauses, l.Why) {
			clauses = append(clauses, l.Why)
		}
	}
	at.Why = strings.Join(clauses, "; ")
	return at
}

// pairLines pairs the lines of two profiles. If a line of a function has no text on one side, because it is not in the
// sources there, the lines of the function cannot be told apart, and the function is compared as a whole.
func pairLines(old, new *heapprofile.Report) (pairs []pair) {
	unknown := map[string]bool{}
	for _, r := range []*heapprofile.Report{old, new} {
		for _, l := range r.Lines {
			if l.Code == "" {
				unknown[functionOf(l)] = true
			}
		}
	}
	index := map[string]int{}
	for side, r := range []*heapprofile.Report{old, new} {
		for _, l := range r.Lines {
			key := functionOf(l)
			if !unknown[key] {
				continue
			}
			i, known := index[key]
			if !known {
				i = len(pairs)
				index[key] = i
				pairs = append(pairs, pair{})
			}
			h := &pairs[i].old
			if side == 1 {
				h = &pairs[i].new
			}
			h.addLine(l)
			if h.places == nil {
				h.places = []compare.Place{{File: l.File, Func: why.Outermost(l.Func)}}
			}
		}
	}
	before, after := byPlace(old, unknown), byPlace(new, unknown)
	for _, g := range compare.MatchLines(knownLines(old, unknown), knownLines(new, unknown)) {
		pairs = append(pairs, pair{newHalf(before, g.Old), newHalf(after, g.New)})
	}
	return pairs
}

// functionOf returns a key of the function that a line is in.
func functionOf(l heapprofile.Line) string { return path.Dir(l.File) + " " + why.Outermost(l.Func) }

// knownLines returns the lines of a profile whose functions are not among the unknown ones.
func knownLines(r *heapprofile.Report, unknown map[string]bool) compare.Side {
	v := &verdict.Verdict{}
	for _, l := range r.Lines {
		if !unknown[functionOf(l)] {
			v.Allocations = append(v.Allocations, verdict.Allocation{File: l.File, Line: l.Line, Func: l.Func, Code: l.Code})
		}
	}
	return compare.Side{Verdict: v, Source: r.Source}
}

// A place is where lines are in the sources. Closures on a line may make it several lines of a profile.
type place struct {
	file string
	line int
}

// byPlace returns the lines of a profile whose functions are not among the unknown ones.
func byPlace(r *heapprofile.Report, unknown map[string]bool) map[place][]heapprofile.Line {
	lines := map[place][]heapprofile.Line{}
	for _, l := range r.Lines {
		if at := (place{l.File, l.Line}); !unknown[functionOf(l)] {
			lines[at] = append(lines[at], l)
		}
	}
	return lines
}

// newHalf returns the sum of the lines at some places.
func newHalf(lines map[place][]heapprofile.Line, places []compare.Place) half {
	h := half{places: places}
	for _, p := range places {
		for _, l := range lines[place{p.File, p.Line}] {
			h.addLine(l)
		}
	}
	return h
}

// pairOutside pairs packages by their names.
func pairOutside(old, new []heapprofile.Outside) (pairs []pair) {
	index := map[string]int{}
	for side, all := range [][]heapprofile.Outside{old, new} {
		for _, o := range all {
			i, known := index[o.Package]
			if !known {
				i = len(pairs)
				index[o.Package] = i
				pairs = append(pairs, pair{half{name: o.Package}, half{name: o.Package}})
			}
			h := &pairs[i].old
			if side == 1 {
				h = &pairs[i].new
			}
			h.add(sum{o.Objects, o.Bytes, o.Sampled})
		}
	}
	return pairs
}
