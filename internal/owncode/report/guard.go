package report

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// maxBecause is the number of lines shown as the cause of a finding. The lines that allocate most are shown first.
const maxBecause = 8

// Guard writes the findings about the budgets of packages, and how many budgets hold. Each finding begins with its
// place, which editors and terminals make a link.
func Guard(w io.Writer, r *budget.Report) {
	for _, f := range r.Findings {
		style := present.Bad
		if !f.Fails() {
			style = present.Warm
		}
		fmt.Fprintf(w, "%s: %s\n", present.Bold.Render(printable.Clean(position(f.File, f.Line))),
			style.Render(oneLine(guardMessage(f))))
		for i, b := range f.Because {
			if i == maxBecause && len(f.Because) > maxBecause+1 {
				fmt.Fprintf(w, "    %s\n", present.Faint.Render(fmt.Sprintf("… %d more lines", len(f.Because)-i)))
				break
			}
			if b.File == "" {
				fmt.Fprintf(w, "    %s %s\n", present.Faint.Render("│"), oneLine(b.Message))
				continue
			}
			fmt.Fprintf(w, "    %s: %s\n", present.Faint.Render(printable.Clean(position(b.File, b.Line))), oneLine(b.Message))
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, guardSum(r))
}

// guardMessage returns a finding as a sentence, without its place.
func guardMessage(f budget.Finding) string {
	switch f.Kind {
	case budget.Escapes:
		return "noescape does not hold: " + f.Message
	case budget.Malformed, budget.Unchecked:
		if f.Directive != "" {
			return f.Directive + ": " + f.Message
		}
	case budget.Note:
		return "note: " + f.Message
	}
	return f.Message
}

// guardSum returns "2 budgets hold, 1 does not, 1 is in error".
func guardSum(r *budget.Report) string {
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	}
	text := count(r.Held, "budget holds", "budgets hold") + ", " + count(r.Broken, "does not", "do not")
	if r.Errors > 0 {
		text += ", " + count(r.Errors, "is in error", "are in error")
	}
	return text
}

// Annotations writes the findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull
// request. path returns the path of a finding's file in the repository.
func Annotations(w io.Writer, r *budget.Report, path func(file string) string) {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range r.Findings {
		level := "error"
		if !f.Fails() {
			level = "notice"
		}
		text := guardMessage(f)
		for _, b := range f.Because {
			text += "\n" + b.Message
			if b.File != "" {
				text += " (" + position(path(b.File), b.Line) + ")"
			}
		}
		fmt.Fprintf(w, "::%s file=%s,line=%d,title=checkalloc guard::%s\n", level,
			property.Replace(path(f.File)), f.Line,
			message.Replace(printable.Clean(text)))
	}
}

func position(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// oneLine joins the lines of a message, so that it stays on the line of its place.
func oneLine(text string) string {
	return printable.Clean(strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
}
