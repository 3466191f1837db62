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

// These limits keep a page under 10 MB. A package of 20,000 lines, 5,000 of which allocate, is within all of them.
// Limits in bytes count the text and an estimate of its markup.
const (
	maxCode        = 3_900_000 // bytes of source
	maxAllocating  = 3_500_000 // bytes of notes below lines that allocate
	maxDiagnostics = 2_200_000 // bytes of the compiler's report
	lineMarkup     = 80
	noteMarkup     = 260
	itemMarkup     = 60

	maxText    = 600 // characters of one message
	maxSteps   = 40  // steps of one line's flow
	maxCauses  = 8   // lines listed as allocating because of one line
	maxFigures = 6   // benchmarks whose figures a note has
	around     = 2   // lines shown around a line of interest
	shortest   = 4   // least number of lines that are folded
	indexed    = 12  // functions in the table above its fold
	opened     = 40  // functions whose source is unfolded

	openedInside = 10 // the same for functions of other packages
)

// bounded leaves out what exceeds maxAllocating, from the end: first the notes of lines, then whole functions.
func (b *builder) bounded(all []present.Function) []present.Function {
	room := maxAllocating
	for i, f := range all {
		room -= noteMarkup
		without := 0
		for _, l := range f.Lines {
			if room -= cost(l); room < 0 {
				b.noNotes[sourceLine{l.File, l.Number}] = true
				without++
			}
		}
		if without == 0 {
			continue
		}
		shown := i
		if without < len(f.Lines) {
			shown++
			b.leaveOut("The notes of %s that allocate, at the end of %s.", present.Plural(without, "line"),
				present.Shorten(printable.Inline(f.Name), maxText))
		}
		if n := 0; shown < len(all) {
			for _, f := range all[shown:] {
				n += len(f.Lines)
			}
			b.leaveOut("%s that allocate, in %s that allocate less than those shown.", present.Plural(n, "more line"),
				present.Plural(len(all)-shown, "function"))
		}
		return all[:shown]
	}
	return all
}

// escapedSize estimates the size in bytes of at most that many bytes of text on a page.
func escapedSize(text string, most int) int {
	return len(html.EscapeString(text[:min(len(text), most)]))
}

// cost estimates the size in bytes of a line's notes on a page.
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
		// Each step is a link here and a link back.
		n += 2*itemMarkup + escapedSize(cmp.Or(s.Message, s.Text), maxText)
	}
	return n
}

// leaveOut adds a sentence about what the page does not show.
func (b *builder) leaveOut(format string, args ...any) {
	b.leftOut = append(b.leftOut, fmt.Sprintf(format, args...))
}

// diagnostics assigns the compiler's diagnostics to their lines. If there are too many, diagnostics about the heap have
// precedence.
func (b *builder) diagnostics() {
	room, left := maxDiagnostics, 0
	heap := func(d escape.Diagnostic) bool { return d.Kind == escape.Escape || d.Kind == escape.Moved }
	for _, first := range []bool{true, false} {
		for _, d := range b.v.Escapes {
			p := sourceLine{d.File, d.Line}
			if heap(d) != first || d.Line < 1 || d.Line > len(b.code[d.File]) {
				continue
			}
			s := diagnostic{Column: d.Col, Heap: heap(d), Message: present.Shorten(printable.Clean(d.Message), maxText)}
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
			b.diagnosticsAt[p] = append(b.diagnosticsAt[p], s)
		}
	}
	for _, all := range b.diagnosticsAt {
		slices.SortStableFunc(all, func(a, b diagnostic) int { return cmp.Compare(a.Column, b.Column) })
	}
	if left > 0 {
		b.leaveOut("%d of the compiler's diagnostics: diagnostics of the heap are shown before others.", left)
	}
}
