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
	fmt.Fprint(w, present.Indent(2, SuggestionCount(r, rejected), width))
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
	fmt.Fprint(w, present.Indent(6, TestsText(s), width))
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
		text := present.Bold.Render(printable.Clean(b.Name)) + "  " + present.Good.Render(SavingText(b))
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
