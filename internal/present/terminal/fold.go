package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// minAlike is the number of lines of a function, alike, from which only the first is shown with its notes.
const minAlike = 3

// joinCopies joins allocations on one line that differ only in the function that the line was inlined into.
func joinCopies(all []verdict.Allocation) []verdict.Allocation {
	var joined []verdict.Allocation
	for _, a := range all {
		i := slices.IndexFunc(joined, func(b verdict.Allocation) bool {
			return a.Line == b.Line && a.Benchmark == b.Benchmark && a.Why == b.Why && slices.Equal(a.Callees, b.Callees)
		})
		if i < 0 {
			joined = append(joined, a)
			continue
		}
		b := &joined[i]
		b.AllocsPerOp += a.AllocsPerOp
		b.BytesPerOp += a.BytesPerOp
		b.Shared = b.Shared || a.Shared
		b.Reasons = slices.Concat(b.Reasons, a.Reasons)
	}
	return joined
}

// foldAlike removes lines of a group from it that allocate for the same reasons as another one, which stays. others are
// the allocations of the lines that were removed, by the line that stays.
func foldAlike(group []verdict.Allocation) (shown []verdict.Allocation, others map[int][]verdict.Allocation) {
	notes := map[int]string{}
	for _, a := range group {
		notes[a.Line] += reasons(a)
	}
	alike := map[string][]int{} // lines
	for _, a := range group {
		if lines := alike[notes[a.Line]]; !slices.Contains(lines, a.Line) {
			alike[notes[a.Line]] = append(lines, a.Line)
		}
	}
	others = map[int][]verdict.Allocation{}
	for _, a := range group {
		if lines := alike[notes[a.Line]]; len(lines) >= minAlike && a.Line != lines[0] {
			others[lines[0]] = append(others[lines[0]], a)
		} else {
			shown = append(shown, a)
		}
	}
	return shown, others
}

// reasons returns what the note on an allocation says besides its figures, and besides the number of its line.
func reasons(a verdict.Allocation) string {
	parts := []string{fmt.Sprintf("%q %q %q", a.Benchmark, a.Why, a.Callees)}
	for _, r := range a.Reasons {
		for _, step := range r.Flow {
			if step.File == a.File && step.Line == a.Line {
				step.Line = 0
			}
			if s := fmt.Sprintf("%q %d %q", step.File, step.Line, step.Message); !slices.Contains(parts, s) {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// likewise returns a sentence about lines that are alike with the one above it.
func likewise(others []verdict.Allocation) string {
	var lines []string
	allocs, bytes := 0.0, 0.0
	for _, a := range others {
		if n := strconv.Itoa(a.Line); !slices.Contains(lines, n) {
			lines = append(lines, n)
		}
		allocs, bytes = allocs+a.AllocsPerOp, bytes+a.BytesPerOp
	}
	text := "the same on lines " + present.List(lines, "and")
	if !slices.ContainsFunc(others, func(a verdict.Allocation) bool { return a.Benchmark != others[0].Benchmark }) {
		text += ": " + verdict.FormatFigures(allocs, bytes)
	}
	return text
}
