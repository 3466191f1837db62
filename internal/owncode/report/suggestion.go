package report

import (
	"fmt"
	"strings"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// maxTests is the number of tests that are named.
const maxTests = 3

// SuggestionCount says how many candidates were tried and what came of them.
func SuggestionCount(r *suggest.Result, rejected bool) string {
	proven, unproven := 0, 0
	for _, s := range r.Suggestions {
		if s.Outcome == suggest.Proven {
			proven++
		} else {
			unproven++
		}
	}
	tried := proven + unproven + len(r.Rejected)
	if tried == 0 {
		return "No edit is known for the lines that allocate."
	}
	text := fmt.Sprintf("%s tried: %d proven", present.Plural(tried, "edit"), proven)
	if unproven > 0 {
		text += fmt.Sprintf(", %d without a test", unproven)
	}
	text += fmt.Sprintf(", %d rejected.", len(r.Rejected))
	if len(r.Rejected) > 0 && !rejected {
		text += " --rejected lists these."
	}
	return text
}

// TestsText says which tests executed what a suggestion changes, and on how many drawn inputs old and new code agree.
func TestsText(s *suggest.Suggestion) string {
	t := s.Tests
	agreed := ""
	if t.Inputs > 0 {
		agreed = " Old and new code agree on " + present.Plural(t.Inputs, "drawn input") + "."
	}
	if t.Count == 0 {
		return "No test executes what it changes: read it before you apply it." + agreed
	}
	named := t.Names
	if len(named) > maxTests {
		named = named[:maxTests]
	}
	text := fmt.Sprintf("The tests pass, and execute what it changes at least %s", times(t.Count))
	if len(named) > 0 {
		text += ": " + printable.Clean(strings.Join(named, ", "))
		if more := len(t.Names) - len(named); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	if t.Race {
		text += "; with the race detector too"
	}
	return text + "." + agreed
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// SavingText returns "3 → 1 allocs/op, 64 → 24 B/op, ns/op ~".
func SavingText(b compare.Benchmark) string {
	text := stepText(b.Allocs.Old, b.Allocs.New, b.Bytes.Old, b.Bytes.New)
	if b.Ns.New.N > 1 {
		text += ", ns/op " + b.Ns.Delta + " (" + b.Ns.Confidence() + ")"
	}
	return text
}

// stepText returns "3 → 1 allocs/op, 64 → 24 B/op".
func stepText(oldAllocs, newAllocs, oldBytes, newBytes float64) string {
	allocs := compare.FormatStep(oldAllocs, newAllocs, verdict.FormatCount)
	return allocs + " " + verdict.AllocsUnit(allocs) + ", " +
		compare.FormatStep(oldBytes, newBytes, verdict.FormatBytes) + " B/op"
}
