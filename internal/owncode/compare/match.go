package compare

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/rogpeppe/go-internal/diff"
)

const (
	// alike is the least similarity, from 0 to 1, at which a line counts as an edited version of another.
	alike = 0.5
	// maxPairs bounds the pairs of lines that are compared in an edited stretch.
	maxPairs = 1 << 18
)

// A Group is a line before and after the change, usually one of each. A line that was split is one old line and several
// new ones. Either side may be empty.
type Group struct{ Old, New []Place }

// A match is a Group while it is being built: the lines of the old side and of the new one.
type match [2][]*line

func matchPair(old, new *line) {
	m := &match{{old}, {new}}
	old.in, new.in = m, m
}

// MatchLines finds, for each line that allocates on one side, the corresponding lines on the other: lines that stayed
// where they were in their file, then lines that moved within their function, edited lines, and at last lines that
// moved elsewhere. The groups are in the order of the new side and then of the old. Both sides have a verdict.
func MatchLines(old, new Side) (groups []Group) {
	texts := pairTexts(old, new)
	var before, after []*line
	stayed := make([][]Pair, len(texts))
	for i, t := range texts {
		before, after = append(before, t.old...), append(after, t.new...)
		stayed[i] = Align(t.content(t.old), t.content(t.new))
		for _, p := range stayed[i] {
			matchPair(t.old[p.Old], t.new[p.New])
		}
	}
	matchMoved(before, after, inFunction)
	for i, t := range texts {
		done := Pair{}
		for _, p := range append(stayed[i], Pair{len(t.old), len(t.new)}) {
			matchEdited(t.old[done.Old:p.Old], t.new[done.New:p.New], t.whole)
			done = Pair{p.Old + 1, p.New + 1}
		}
	}
	matchEdited(unmatched(before), unmatched(after), false) // in functions that moved
	matchMoved(before, after, func(l *line) string { return l.text })
	done := map[*match]bool{}
	for i, lines := range [][]*line{after, before} {
		for _, l := range lines {
			m := l.in
			if m == nil {
				m = &match{}
				m[1-i] = []*line{l}
			}
			if !done[m] && slices.ContainsFunc(slices.Concat(m[0], m[1]), allocates) {
				done[m] = true
				groups = append(groups, Group{places(m[0]), places(m[1])})
			}
		}
	}
	return groups
}

func places(lines []*line) []Place {
	var all []Place
	for _, l := range lines {
		all = append(all, Place{File: l.file, Line: l.line, Func: l.fn, Code: l.code})
	}
	slices.SortFunc(all, comparePlaces)
	return all
}

// inFunction returns the text of a line with the function that it is in.
func inFunction(l *line) string { return l.declared + " " + l.text }

// content returns the text by which lines are aligned.
func (t textPair) content(lines []*line) (text []byte) {
	for _, l := range lines {
		if t.whole {
			text = append(text, l.text+"\n"...)
		} else {
			text = append(text, inFunction(l)+"\n"...)
		}
	}
	return text
}

// unmatched returns the lines that allocate and have no match.
func unmatched(lines []*line) []*line {
	return slices.DeleteFunc(allocating(lines), func(l *line) bool { return l.in != nil })
}

// matchMoved matches lines with the same key, in any order.
func matchMoved(before, after []*line, key func(*line) string) {
	gone := map[string][]*line{}
	for _, l := range unmatched(before) {
		if len(l.words()) > 0 {
			gone[key(l)] = append(gone[key(l)], l)
		}
	}
	for _, l := range unmatched(after) {
		if from := gone[key(l)]; len(from) > 0 {
			matchPair(from[0], l)
			gone[key(l)] = from[1:]
		}
	}
}

// matchEdited matches the lines of a stretch of the old text with the lines that replaced it, the most similar first:
// of these the lines of one function, and the lines that allocate on both sides. Without the text, the stretch has only
// lines that allocate, and nothing shows that lines of two functions are one line.
func matchEdited(old, new []*line, whole bool) {
	if len(old) == 0 || len(new) == 0 || len(old) > maxPairs/len(new) {
		return
	}
	type candidate struct {
		old, new *line
		score    float64
	}
	var all []candidate
	for _, a := range old {
		for _, b := range new {
			same := a.declared == b.declared
			if a.in != nil || b.in != nil || !a.allocs && !b.allocs || !same && !whole {
				continue
			}
			score := 2 * float64(shared(a.words(), b.words())) / float64(max(1, len(a.words())+len(b.words())))
			if score < alike {
				continue
			}
			if same {
				score += 2
			}
			if a.allocs && b.allocs {
				score++
			}
			all = append(all, candidate{a, b, score})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for _, c := range all {
		if c.old.in == nil && c.new.in == nil {
			matchPair(c.old, c.new)
		}
	}
	matchOrigins(unmatched(new), old, 1)
	matchOrigins(unmatched(old), new, 0)
	if whole { // the lines that follow the same line, or precede it
		for _, ends := range [][2]*line{{old[0], new[0]}, {old[len(old)-1], new[len(new)-1]}} {
			if len(unmatched(ends[:])) == 2 {
				matchPair(ends[0], ends[1])
			}
		}
	}
}

// matchOrigins adds lines of one side to the matches of the lines of the other that they were split off from, or that
// were joined from them. A line was split off from an old line if most of its words are in the old line and not in the
// line that this became, or if it consists of such words. For joined lines the reverse holds.
func matchOrigins(lines, others []*line, side int) {
	type remainder struct {
		match *match
		words []string
	}
	var all []remainder
	for _, other := range others {
		if g := other.in; g != nil && other.allocs {
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
			r.match[side] = append(r.match[side], l)
			l.in = r.match
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

// A Pair is a line of an old text and the equal line of a new one, by index.
type Pair struct{ Old, New int }

// Align pairs equal lines of two texts in order.
func Align(old, new []byte) (pairs []Pair) {
	files, _, _ := gitdiff.Parse(bytes.NewReader(diff.Diff("old", old, "new", new))) // what diff writes can be parsed
	var at Pair
	equal := func(lines int) {
		for range lines {
			pairs = append(pairs, at)
			at = Pair{at.Old + 1, at.New + 1}
		}
	}
	for _, file := range files {
		for _, hunk := range file.TextFragments {
			equal(int(hunk.OldPosition) - 1 - at.Old)
			for _, l := range hunk.Lines {
				switch l.Op {
				case gitdiff.OpContext:
					equal(1)
				case gitdiff.OpDelete:
					at.Old++
				case gitdiff.OpAdd:
					at.New++
				}
			}
		}
	}
	equal(len(slices.Collect(bytes.Lines(old))) - at.Old)
	return pairs
}
