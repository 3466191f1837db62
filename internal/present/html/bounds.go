package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// These limits are a package of 20,000 lines, 5,000 of which allocate. Its page is smaller than maxPage. If a page with
// so much is larger, it is made again with less.
const (
	maxPage        = 10_000_000 // bytes
	maxCode        = 20_000     // lines of source
	maxAllocating  = 5_000      // lines with notes
	maxDiagnostics = 10_000     // of the compiler's report

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

// room returns how much of a limit the page may use.
func (b *builder) room(limit int) int { return int(float64(limit) * b.part) }

// bounded leaves out what exceeds maxAllocating, from the end: first lines that allocate, whose source is then shown
// without notes, then whole functions.
func (b *builder) bounded(all []present.Function) []present.Function {
	room := b.room(maxAllocating)
	for i, f := range all {
		n := room
		if room -= len(f.Lines); room >= 0 {
			continue
		}
		shown, rest := all[:i], all[i:]
		if n > 0 {
			b.leaveOut("The notes of %s that allocate, at the end of %s.", present.Plural(len(f.Lines)-n, "line"),
				inline(f.Name, maxText))
			f.Lines = f.Lines[:n]
			shown, rest = append(slices.Clone(shown), f), all[i+1:]
		}
		if len(rest) > 0 {
			more := 0
			for _, f := range rest {
				more += len(f.Lines)
			}
			b.leaveOut("%s that allocate, in %s that allocate less than those shown.",
				present.Plural(more, "more line"), present.Plural(len(rest), "function"))
		}
		return shown
	}
	return all
}

// first returns the first n elements of a slice, or all if it has no more.
func first[E any](all []E, n int) []E { return all[:min(len(all), n)] }

// inline returns text on one line, with at most that many characters.
func inline(text string, most int) string { return present.Shorten(printable.Inline(text), most) }

// leaveOut adds a sentence about what the page does not show.
func (b *builder) leaveOut(format string, args ...any) {
	b.LeftOut = append(b.LeftOut, fmt.Sprintf(format, args...))
}

// diagnostics assigns the compiler's diagnostics to their lines. If there are too many, diagnostics about the heap have
// precedence.
func (b *builder) diagnostics() {
	onHeap, others := []escape.Diagnostic{}, []escape.Diagnostic{}
	for _, d := range b.Verdict.Escapes {
		if d.Kind == escape.Escape || d.Kind == escape.Moved {
			onHeap = append(onHeap, d)
		} else {
			others = append(others, d)
		}
	}
	room, left := b.room(maxDiagnostics), 0
	for i, d := range slices.Concat(onHeap, others) {
		if d.Line < 1 || d.Line > len(b.code[d.File]) {
			continue
		}
		if room--; room < 0 {
			left++
			continue
		}
		s := diagnostic{Column: d.Col, Heap: i < len(onHeap),
			Message: present.Shorten(printable.Clean(d.Message), maxText)}
		var flow []string
		for _, st := range first(d.Flow, maxSteps) {
			flow = append(flow, inline(st.Text, maxText))
		}
		if more := len(d.Flow) - len(flow); more > 0 {
			flow = append(flow, fmt.Sprintf("… %d more", more))
		}
		s.Flow = strings.Join(flow, "\n")
		p := sourceLine{d.File, d.Line}
		b.diagnosticsAt[p] = append(b.diagnosticsAt[p], s)
	}
	for _, all := range b.diagnosticsAt {
		slices.SortStableFunc(all, func(a, b diagnostic) int { return cmp.Compare(a.Column, b.Column) })
	}
	if left > 0 {
		b.leaveOut("%d of the compiler's diagnostics: diagnostics of the heap are shown before others.", left)
	}
}
