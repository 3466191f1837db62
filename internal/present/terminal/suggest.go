package terminal

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/compare"
	"onthestack/internal/printable"
	"onthestack/internal/suggest"
	"onthestack/internal/verdict"
)

// maxTests is the number of tests that are named.
const maxTests = 3

// Suggestions writes what was found for a package: each suggestion with its figures, the lines that it is about, its tests
// and its diff, then what they save together. If rejected is true, it also writes what was tried and rejected.
func Suggestions(w io.Writer, r *suggest.Result, rejected bool, o Options) {
	left, right := bold.Render(printable.Clean(r.Package)), faint.Render(fmt.Sprintf("%s %s/%s", r.Go, r.GOOS, r.GOARCH))
	gap := max(2, o.Width-lipgloss.Width(left)-lipgloss.Width(right))
	fmt.Fprintf(w, "%s%s%s\n\n", left, strings.Repeat(" ", gap), right)
	for _, s := range r.Suggestions {
		suggestion(w, &s, o)
	}
	together(w, r, o)
	if rejected {
		rejections(w, r, o)
	}
	for _, n := range r.Notes {
		fmt.Fprint(w, hanging(warm.Render("note")+"  ", printable.Clean(n), o.Width))
	}
	fmt.Fprint(w, indent(2, SuggestionCount(r, rejected), o.Width))
}

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
	text := fmt.Sprintf("%s tried: %d proven", edits(tried), proven)
	if unproven > 0 {
		text += fmt.Sprintf(", %d without a test", unproven)
	}
	text += fmt.Sprintf(", %d rejected.", len(r.Rejected))
	if len(r.Rejected) > 0 && !rejected {
		text += " --rejected lists these."
	}
	return text
}

func edits(n int) string {
	if n == 1 {
		return "1 edit"
	}
	return fmt.Sprintf("%d edits", n)
}

func suggestion(w io.Writer, s *suggest.Suggestion, o Options) {
	style := good
	if s.Outcome != suggest.Proven {
		style = warm
	}
	fmt.Fprintf(w, "  %s  %s  %s\n", bold.Render(fmt.Sprintf("#%d", s.ID)), bold.Render(s.Title), style.Render(string(s.Outcome)))
	fmt.Fprint(w, indent(6, capital(printable.Clean(s.Message))+".", o.Width))
	savings(w, s.Benchmarks, o.Width)
	for _, l := range s.Lines {
		figure := fmt.Sprintf("%s, %s B/op", verdict.FormatAllocs(l.AllocsPerOp), verdict.FormatBytes(l.BytesPerOp))
		lead := fmt.Sprintf("    %s  %s  ", faint.Render(printable.Clean(fmt.Sprintf("%s:%d", l.File, l.Line))), heap.Render(figure))
		fmt.Fprintf(w, "  %s%s\n", lead, hang(2+lipgloss.Width(lead), printable.Clean(l.Why), o.Width))
	}
	fmt.Fprint(w, indent(6, TestsText(s), o.Width))
	if s.Assumes != "" {
		fmt.Fprint(w, indent(6, "Assumes: "+s.Assumes, o.Width))
	}
	if s.Why != "" && s.Outcome == suggest.Proven {
		fmt.Fprint(w, indent(6, "Not together with the others: "+printable.Clean(s.Why)+".", o.Width))
	}
	fmt.Fprintf(w, "      %s\n\n", faint.Render("book/"+s.Page+".md"))
	Diff(w, s.Diff, 6)
	fmt.Fprintln(w)
}

// TestsText says which tests executed what a suggestion changes, and on how many drawn inputs old and new code agree.
func TestsText(s *suggest.Suggestion) string {
	t := s.Tests
	agreed := ""
	if t.Inputs > 0 {
		agreed = " Old and new code agree on " + inputs(t.Inputs) + "."
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

func inputs(n int) string {
	if n == 1 {
		return "1 drawn input"
	}
	return fmt.Sprintf("%d drawn inputs", n)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// savings writes the figures of benchmarks before and after.
func savings(w io.Writer, all []compare.Benchmark, width int) {
	for _, b := range all {
		fmt.Fprint(w, indent(6, bold.Render(printable.Clean(b.Name))+"  "+good.Render(SavingText(b)), width))
	}
}

// SavingText returns "3 → 1 allocs/op, 64 → 24 B/op, ns/op ~".
func SavingText(b compare.Benchmark) string {
	allocs := compare.FormatStep(b.Allocs.Old, b.Allocs.New, verdict.FormatCount)
	text := allocs + " " + verdict.AllocsUnit(allocs) + ", " +
		compare.FormatStep(b.Bytes.Old, b.Bytes.New, verdict.FormatBytes) + " B/op"
	if b.Ns.New.N > 1 {
		text += ", ns/op " + b.Ns.Delta + " (" + b.Ns.Confidence() + ")"
	}
	return text
}

func together(w io.Writer, r *suggest.Result, o Options) {
	if r.Together == nil || len(r.Together.IDs) < 2 {
		return
	}
	var ids []string
	for _, id := range r.Together.IDs {
		ids = append(ids, fmt.Sprintf("#%d", id))
	}
	fmt.Fprintf(w, "  %s  %s\n", bold.Render("Together"), strings.Join(ids, ", "))
	savings(w, r.Together.Benchmarks, o.Width)
	fmt.Fprintln(w)
}

func rejections(w io.Writer, r *suggest.Result, o Options) {
	if len(r.Rejected) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", bold.Render("Tried and rejected"))
	for _, s := range r.Rejected {
		place := ""
		if len(s.Lines) > 0 {
			place = fmt.Sprintf("%s:%d  ", s.Lines[0].File, s.Lines[0].Line)
		}
		fmt.Fprint(w, hanging(fmt.Sprintf("  #%d  ", s.ID), printable.Clean(place)+s.Title+": "+printable.Clean(s.Why), o.Width))
		savings(w, s.Benchmarks, o.Width)
	}
	fmt.Fprintln(w)
}

// Diff writes a unified diff with a margin.
func Diff(w io.Writer, text string, margin int) {
	for line := range strings.Lines(printable.Clean(text)) {
		style := lipgloss.NewStyle()
		switch {
		case strings.HasPrefix(line, "+"):
			style = good
		case strings.HasPrefix(line, "-"):
			style = bad
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		fmt.Fprintf(w, "%s\n", strings.TrimRight(strings.Repeat(" ", margin)+style.Render(line), " "))
	}
}
