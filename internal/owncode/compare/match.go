package compare

import "slices"

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

// A match is a group while it is being built.
type match struct{ old, new []*line }

type matcher struct{ of map[*line]*match }

func (m *matcher) match(old, new *line) {
	old.matched, new.matched = true, true
	if !old.allocs && !new.allocs {
		return
	}
	g := &match{[]*line{old}, []*line{new}}
	m.of[old], m.of[new] = g, g
}

// groups returns the matches, and a group for each line without one, in the order of the new side and then of the old.
func (m *matcher) groups(before, after []*function) []group {
	var groups []group
	done := map[*match]bool{}
	collect := func(functions []*function, alone func(*line) group) {
		for _, f := range functions {
			for _, l := range f.lines {
				g := m.of[l]
				switch {
				case g == nil && l.allocs:
					groups = append(groups, alone(l))
				case g != nil && !done[g]:
					done[g] = true
					groups = append(groups, group{places(g.old), places(g.new)})
				}
			}
		}
	}
	collect(after, func(l *line) group { return group{new: places([]*line{l})} })
	collect(before, func(l *line) group { return group{old: places([]*line{l})} })
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
