package compare

import (
	"cmp"
	"slices"
)

// alike is the least similarity, from 0 to 1, at which a line or a function counts as an edited version of another.
const alike = 0.5

// A group is a line before and after the change, usually one of each. A line that was split is one old line and several
// new ones. Either side may be empty.
type group struct{ old, new []Place }

// matchLines finds, for each line that allocates on one side, the corresponding lines on the other.
func matchLines(old, new Side) []group {
	m := matcher{of: map[*line]*match{}}
	names := files(old, new)
	before, after := functions(old, names), functions(new, names)
	for _, p := range pairFunctions(before, after) {
		m.function(p[0], p[1])
	}
	m.moved(allLines(before), allLines(after)) // lines that moved to other functions
	return m.groups(before, after)
}

// A match is a group while it is being built: the lines of the old side and of the new one.
type match [2][]*line

type matcher struct{ of map[*line]*match }

func (m *matcher) match(old, new *line) {
	old.matched, new.matched = true, true
	if !old.allocs && !new.allocs {
		return
	}
	g := &match{{old}, {new}}
	m.of[old], m.of[new] = g, g
}

// groups returns the matches, and a group for each line without one, in the order of the new side and then of the old.
func (m *matcher) groups(before, after []*function) []group {
	var groups []group
	done := map[*match]bool{}
	collect := func(side int, lines []*line) {
		for _, l := range lines {
			g := m.of[l]
			if g == nil && l.allocs {
				g = &match{}
				g[side] = []*line{l}
			}
			if g != nil && !done[g] {
				done[g] = true
				groups = append(groups, group{places(g[0]), places(g[1])})
			}
		}
	}
	collect(1, allLines(after))
	collect(0, allLines(before))
	return groups
}

func places(lines []*line) []Place {
	var all []Place
	for _, l := range lines {
		all = append(all, Place{l.file, l.line, l.fn, l.code})
	}
	slices.SortFunc(all, comparePlaces)
	return all
}

// function matches the lines of a function with the lines of its new version.
func (m *matcher) function(old, new *function) {
	a, b := old.lines, new.lines
	whole := old.whole && new.whole
	if !whole {
		a, b = old.allocating(), new.allocating()
	}
	allocs := func(l *line) bool { return l.allocs }
	if !slices.ContainsFunc(a, allocs) && !slices.ContainsFunc(b, allocs) {
		return
	}
	aligned := align(texts(a), texts(b))
	for _, p := range aligned {
		m.match(a[p.old], b[p.new])
	}
	m.moved(a, b)
	done := pair{}
	for _, p := range append(aligned, pair{len(a), len(b)}) {
		m.edited(a[done.old:p.old], b[done.new:p.new], whole)
		done = pair{p.old + 1, p.new + 1}
	}
}

func texts(lines []*line) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l.text)
	}
	return all
}

// moved matches lines by their text, in any order.
func (m *matcher) moved(before, after []*line) {
	gone := map[string][]*line{}
	for _, l := range unmatched(before) {
		if len(l.words()) > 0 {
			gone[l.text] = append(gone[l.text], l)
		}
	}
	for _, l := range unmatched(after) {
		if from := gone[l.text]; len(from) > 0 {
			m.match(from[0], l)
			gone[l.text] = from[1:]
		}
	}
}

func allLines(functions []*function) (all []*line) {
	for _, f := range functions {
		all = append(all, f.lines...)
	}
	return all
}

// unmatched returns the lines that allocate and have no match.
func unmatched(lines []*line) []*line {
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.matched || !l.allocs })
}

// pairFunctions pairs functions of the same name. Then it pairs functions whose names only one side has, if their lines
// are the most similar.
func pairFunctions(before, after []*function) (pairs [][2]*function) {
	byName := map[string]*function{}
	for _, f := range after {
		byName[f.name] = f
	}
	var gone []*function
	for _, f := range before {
		if g := byName[f.name]; g != nil {
			pairs = append(pairs, [2]*function{f, g})
			delete(byName, f.name)
		} else {
			gone = append(gone, f)
		}
	}
	come := slices.DeleteFunc(slices.Clone(after), func(f *function) bool { return byName[f.name] == nil })
	if len(come) == 0 || len(gone) > maxTable/len(come) {
		return pairs
	}
	isPart := func(f *function) bool { return !f.whole }
	whole := !slices.ContainsFunc(gone, isPart) && !slices.ContainsFunc(come, isPart)
	texts := map[*function][]string{}
	for _, f := range slices.Concat(gone, come) {
		texts[f] = f.texts(whole)
	}
	closest(gone, come, func(f, g *function) float64 { return similarity(texts[f], texts[g]) },
		func(f, g *function) { pairs = append(pairs, [2]*function{f, g}) })
	return pairs
}

// texts returns the texts of a function's lines that have a word, sorted and without repetitions: of all lines if
// whole, otherwise of the lines that allocate.
func (f *function) texts(whole bool) (all []string) {
	for _, l := range f.lines {
		if (whole || l.allocs) && len(l.words()) > 0 {
			all = append(all, l.text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// closest calls match for pairs of an old and a new element that are alike, the most similar first. Each element is in
// one pair at most.
func closest[T comparable](old, new []T, similarity func(old, new T) float64, match func(old, new T)) {
	type candidate struct {
		old, new T
		score    float64
	}
	var all []candidate
	for _, a := range old {
		for _, b := range new {
			if score := similarity(a, b); score >= alike {
				all = append(all, candidate{a, b, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	done := map[T]bool{}
	for _, c := range all {
		if !done[c.old] && !done[c.new] {
			done[c.old], done[c.new] = true, true
			match(c.old, c.new)
		}
	}
}

// similarity returns which part of two sorted lists of words they have in common, from 0 to 1.
func similarity(a, b []string) float64 {
	return 2 * float64(shared(a, b)) / float64(max(1, len(a)+len(b)))
}
