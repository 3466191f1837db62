package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Suggestions writes what was found for a package: each suggestion with its figures, the lines that it is about, its
// tests and its diff, then what they save together. If rejected is true, it also writes what was tried and rejected.
func Suggestions(w io.Writer, r *suggest.Result, rejected bool, width int) {
	left := present.Bold.Render(printable.Clean(r.Package))
	right := present.Faint.Render(fmt.Sprintf("%s %s/%s", r.Go, r.GOOS, r.GOARCH))
	gap := max(2, width-lipgloss.Width(left)-lipgloss.Width(right))
	fmt.Fprintf(w, "%s%s%s\n\n", left, strings.Repeat(" ", gap), right)
	for _, s := range r.Suggestions {
		suggestion(w, &s, width)
	}
	together(w, r, width)
	if rejected {
		rejections(w, r, width)
	}
	for _, n := range r.Notes {
		fmt.Fprint(w, hanging(present.Warm.Render("note")+"  ", printable.Clean(n), width))
	}
	fmt.Fprint(w, present.Indent(2, suggestionCount(r, rejected), width))
}

func suggestion(w io.Writer, s *suggest.Suggestion, width int) {
	style := present.Good
	if s.Outcome != suggest.Proven {
		style = present.Warm
	}
	fmt.Fprintf(w, "  %s  %s  %s\n", present.Bold.Render(fmt.Sprintf("#%d", s.ID)), present.Bold.Render(s.Title),
		style.Render(string(s.Outcome)))
	fmt.Fprint(w, present.Indent(6, present.Capital(printable.Clean(s.Message))+".", width))
	savings(w, s.Benchmarks, width)
	for _, l := range s.Lines {
		lead := fmt.Sprintf("    %s  %s  ", present.Faint.Render(printable.Clean(position(l.File, l.Line))),
			present.Heap.Render(verdict.FormatFigures(l.AllocsPerOp, l.BytesPerOp)))
		fmt.Fprintf(w, "  %s%s\n", lead, present.Hang(2+lipgloss.Width(lead), printable.Clean(l.Why), width))
	}
	fmt.Fprint(w, present.Indent(6, testsText(s), width))
	if s.Assumes != "" {
		fmt.Fprint(w, present.Indent(6, "Assumes: "+s.Assumes, width))
	}
	if s.Why != "" && s.Outcome == suggest.Proven {
		fmt.Fprint(w, present.Indent(6, "Left out of the combination: "+printable.Clean(s.Why)+".", width))
	}
	fmt.Fprintf(w, "      %s\n\n", present.Faint.Render("book/"+s.Page+".md"))
	Diff(w, s.Diff, 6)
	fmt.Fprintln(w)
}

// savings writes the figures of benchmarks before and after.
func savings(w io.Writer, all []compare.Benchmark, width int) {
	for _, b := range all {
		text := present.Bold.Render(printable.Clean(b.Name)) + "  " + present.Good.Render(savingText(b))
		fmt.Fprint(w, present.Indent(6, text, width))
	}
}

func together(w io.Writer, r *suggest.Result, width int) {
	if r.Together == nil || len(r.Together.IDs) < 2 {
		return
	}
	fmt.Fprintf(w, "  %s  %s\n", present.Bold.Render("Together"), suggest.Numbers(r.Together.IDs))
	savings(w, r.Together.Benchmarks, width)
	fmt.Fprintln(w)
}

func rejections(w io.Writer, r *suggest.Result, width int) {
	if len(r.Rejected) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", present.Bold.Render("Tried and rejected"))
	for _, s := range r.Rejected {
		place := ""
		if len(s.Lines) > 0 {
			place = fmt.Sprintf("%s:%d  ", s.Lines[0].File, s.Lines[0].Line)
		}
		fmt.Fprint(w, hanging(fmt.Sprintf("  #%d  ", s.ID), printable.Clean(place)+s.Title+": "+printable.Clean(s.Why),
			width))
		savings(w, s.Benchmarks, width)
	}
	fmt.Fprintln(w)
}

// Diff writes a unified diff with a margin.
func Diff(w io.Writer, text string, margin int) {
	for line := range strings.Lines(printable.Clean(text)) {
		style := lipgloss.NewStyle()
		switch {
		case strings.HasPrefix(line, "+"):
			style = present.Good
		case strings.HasPrefix(line, "-"):
			style = present.Bad
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		fmt.Fprintf(w, "%s\n", strings.TrimRight(strings.Repeat(" ", margin)+style.Render(line), " "))
	}
}

// maxTests is the number of tests that are named.
const maxTests = 3

// suggestionCount says how many candidates were tried and what came of them.
func suggestionCount(r *suggest.Result, rejected bool) string {
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

// testsText says which tests executed what a suggestion changes, and on how many drawn inputs old and new code agree.
func testsText(s *suggest.Suggestion) string {
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

// savingText returns "3 → 1 allocs/op, 64 → 24 B/op, ns/op ~".
func savingText(b compare.Benchmark) string {
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
