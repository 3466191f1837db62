package html

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// What bounds a page, to under 10 MB. A package of 20,000 lines with 5,000 that allocate is within all of it. Bytes are those of
// the text and of about as much markup as it needs.
const (
	maxCode        = 3_900_000 // bytes of source
	maxAllocating  = 3_500_000 // bytes of notes beneath lines that allocate
	maxDiagnostics = 2_200_000 // bytes of the compiler's report
	lineMarkup     = 80
	noteMarkup     = 260
	itemMarkup     = 60

	maxText    = 600 // characters of one message
	maxSteps   = 40  // of one line's flow
	maxCauses  = 8   // lines that allocate because of one
	maxFigures = 6   // benchmarks of one note
	around     = 2   // lines around one that is of interest
	shortest   = 4   // lines that are worth folding
	indexed    = 12  // functions in the table before it is folded
)

// bounded leaves out what is too much, from the end: the notes of lines, then whole functions.
func (b *builder) bounded(all []present.Function) []present.Function {
	room := maxAllocating
	for i, f := range all {
		room -= noteMarkup
		silent := 0
		for _, l := range f.Lines {
			if room -= cost(l); room < 0 {
				b.silent[place{l.File, l.Number}] = true
				silent++
			}
		}
		if silent == 0 {
			continue
		}
		shown := i
		if silent < len(f.Lines) {
			shown++
			b.leaveOut("The notes of %s that allocate, at the end of %s.", present.Plural(silent, "line"), present.Shorten(printable.Inline(f.Name), maxText))
		}
		if n := 0; shown < len(all) {
			for _, f := range all[shown:] {
				n += len(f.Lines)
			}
			b.leaveOut("%s that allocate, in %s that allocate less than those shown.", present.Plural(n, "more line"), present.Plural(len(all)-shown, "function"))
		}
		return all[:shown]
	}
	return all
}

// escapedSize is about how many bytes of a page so many bytes of text take at most.
func escapedSize(text string, most int) int {
	return len(html.EscapeString(text[:min(len(text), most)]))
}

// cost is about how many bytes the notes of a line take.
func cost(l present.Line) int {
	n := noteMarkup
	for _, note := range l.Notes() {
		n += escapedSize(note.Why, maxText) + min(len(note.Figures), maxFigures)*itemMarkup
		for i, calls := range note.Callees {
			if i == maxFigures {
				break
			}
			n += itemMarkup + escapedSize(strings.Join(calls, " → "), maxText)
		}
	}
	for i, s := range l.Steps() {
		if i == maxSteps {
			break
		}
		// Each is a link here and one back.
		n += 2*itemMarkup + escapedSize(cmp.Or(s.Message, s.Text), maxText)
	}
	return n
}

func (b *builder) leaveOut(format string, args ...any) {
	b.leftOut = append(b.leftOut, fmt.Sprintf(format, args...))
}

// diagnostics spreads the compiler's report over its lines, what speaks of the heap before all else.
func (b *builder) diagnostics() {
	room, left := maxDiagnostics, 0
	heap := func(d escape.Diagnostic) bool { return d.Kind == escape.Escape || d.Kind == escape.Moved }
	for _, first := range []bool{true, false} {
		for _, d := range b.v.Escapes {
			p := place{d.File, d.Line}
			if heap(d) != first || d.Line < 1 || d.Line > len(b.code[d.File]) {
				continue
			}
			s := said{Column: d.Col, Heap: heap(d), Message: present.Shorten(printable.Clean(d.Message), maxText)}
			var flow []string
			for i, st := range d.Flow {
				if i == maxSteps {
					flow = append(flow, fmt.Sprintf("… %d more", len(d.Flow)-i))
					break
				}
				flow = append(flow, present.Shorten(printable.Inline(st.Text), maxText))
			}
			s.Flow = strings.Join(flow, "\n")
			if room -= escapedSize(s.Message, maxText) + escapedSize(s.Flow, len(s.Flow)) + itemMarkup; room < 0 {
				left++
				continue
			}
			b.said[p] = append(b.said[p], s)
		}
	}
	for _, all := range b.said {
		slices.SortStableFunc(all, func(a, b said) int { return cmp.Compare(a.Column, b.Column) })
	}
	if left > 0 {
		b.leaveOut("%d of the compiler's diagnostics: those of the heap are shown before others.", left)
	}
}
