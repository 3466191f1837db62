package terminal

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/compare"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/suggest"
	"onthestack/internal/verdict"
)

// Suggestions writes what was found for a package: each suggestion with its figures, the lines that it is about, its
// tests and its diff, then what they save together. If rejected is true, it also writes what was tried and rejected.
func Suggestions(w io.Writer, r *suggest.Result, rejected bool, o Options) {
	left := bold.Render(printable.Clean(r.Package))
	right := faint.Render(fmt.Sprintf("%s %s/%s", r.Go, r.GOOS, r.GOARCH))
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
	fmt.Fprint(w, indent(2, present.SuggestionCount(r, rejected), o.Width))
}

func suggestion(w io.Writer, s *suggest.Suggestion, o Options) {
	style := good
	if s.Outcome != suggest.Proven {
		style = warm
	}
	fmt.Fprintf(w, "  %s  %s  %s\n", bold.Render(fmt.Sprintf("#%d", s.ID)), bold.Render(s.Title),
		style.Render(string(s.Outcome)))
	fmt.Fprint(w, indent(6, capital(printable.Clean(s.Message))+".", o.Width))
	savings(w, s.Benchmarks, o.Width)
	for _, l := range s.Lines {
		figure := fmt.Sprintf("%s, %s B/op", verdict.FormatAllocs(l.AllocsPerOp), verdict.FormatBytes(l.BytesPerOp))
		lead := fmt.Sprintf("    %s  %s  ", faint.Render(printable.Clean(fmt.Sprintf("%s:%d", l.File, l.Line))),
			heap.Render(figure))
		fmt.Fprintf(w, "  %s%s\n", lead, hang(2+lipgloss.Width(lead), printable.Clean(l.Why), o.Width))
	}
	fmt.Fprint(w, indent(6, present.TestsText(s), o.Width))
	if s.Assumes != "" {
		fmt.Fprint(w, indent(6, "Assumes: "+s.Assumes, o.Width))
	}
	if s.Why != "" && s.Outcome == suggest.Proven {
		fmt.Fprint(w, indent(6, "Left out of the combination: "+printable.Clean(s.Why)+".", o.Width))
	}
	fmt.Fprintf(w, "      %s\n\n", faint.Render("book/"+s.Page+".md"))
	Diff(w, s.Diff, 6)
	fmt.Fprintln(w)
}

// savings writes the figures of benchmarks before and after.
func savings(w io.Writer, all []compare.Benchmark, width int) {
	for _, b := range all {
		fmt.Fprint(w, indent(6, bold.Render(printable.Clean(b.Name))+"  "+good.Render(present.SavingText(b)), width))
	}
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
		fmt.Fprint(w, hanging(fmt.Sprintf("  #%d  ", s.ID), printable.Clean(place)+s.Title+": "+printable.Clean(s.Why),
			o.Width))
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
