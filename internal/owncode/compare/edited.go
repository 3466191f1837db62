package compare

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxPairs = 1 << 14 // pairs of lines that are compared in an edited stretch
	// maxLoneStretch is the largest number of lines in an edited stretch in which the only allocating line on one side
	// is matched with the only one on the other.
	maxLoneStretch = 10
)

// edited matches the lines of a stretch of the old text with the lines that replaced it: first the lines that allocate
// on both sides, and of these the ones that have the most words in common.
func (m *matcher) edited(old, new []*line, whole bool) {
	if len(old) == 0 || len(new) == 0 || len(old) > maxPairs/len(new) {
		return
	}
	closest(old, new, func(a, b *line) float64 {
		if a.matched || b.matched || !a.allocs && !b.allocs {
			return 0
		}
		score := similarity(a.words(), b.words())
		if score >= alike && a.allocs && b.allocs {
			score++
		}
		return score
	}, m.match)
	m.origins(unmatched(new), old, 1)
	m.origins(unmatched(old), new, 0)
	// Without the text, the stretch has only lines that allocate.
	if whole && len(old) <= maxLoneStretch && len(new) <= maxLoneStretch {
		if a, b := unmatched(old), unmatched(new); len(a) == 1 && len(b) == 1 {
			m.match(a[0], b[0])
		}
	}
}

// origins adds lines of one side to the matches of the lines of the other that they were split off from, or that were
// joined from them. A line was split off from an old line if most of its words are in the old line and not in the line
// that this became, or if it consists of such words. For joined lines the reverse holds.
func (m *matcher) origins(lines, others []*line, side int) {
	type remainder struct {
		of    *match
		words []string
	}
	var all []remainder
	for _, other := range others {
		if g := m.of[other]; g != nil && other.allocs {
			all = append(all, remainder{g, without(g[1-side][0].words(), g[side][0].words())})
		}
	}
	for _, l := range lines {
		mine, best, most := l.words(), -1, 0
		for i, r := range all {
			n := shared(mine, r.words)
			split := float64(n) >= alike*float64(len(mine)) || n > 1 && float64(n) >= alike*float64(len(r.words))
			if split && n > most {
				best, most = i, n
			}
		}
		if best >= 0 {
			r := &all[best]
			r.of[side] = append(r.of[side], l)
			m.of[l], l.matched = r.of, true
			r.words = without(r.words, mine)
		}
	}
}

// words returns a line's names and numbers, sorted.
func (l *line) words() []string {
	if l.found == nil {
		code, _, _ := strings.Cut(l.text, " // ")
		l.found = strings.FieldsFunc(code, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) &&
				!unicode.IsDigit(r)
		})
		slices.Sort(l.found)
	}
	return l.found
}

// shared returns how many words two sorted lists have in common. A repeated word counts as often as both lists have it.
func shared(a, b []string) int { return len(a) - len(without(a, b)) }

// without returns the sorted list a minus the words of the sorted list b.
func without(a, b []string) []string {
	var rest []string
	for _, w := range a {
		for len(b) > 0 && b[0] < w {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == w {
			b = b[1:]
			continue
		}
		rest = append(rest, w)
	}
	return rest
}
