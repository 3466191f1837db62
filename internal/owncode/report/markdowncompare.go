package report

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/owncode/compare"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// CommentOptions are the options of a comment on a pull request.
type CommentOptions struct {
	All bool // show benchmarks too whose figures are the same
	// Links is the address of the files of a revision, "https://host/owner/name/blob/1a2b3c", to which the path of a
	// file and "#L12" can be added. "" for no links.
	Links string
	// Path returns the slash-separated path of a file from the repository's root. It is called if there are links.
	Path func(file string) string
}

// ComparisonMarkdown writes what changed between two verdicts as tables for a pull request. An error is w's.
func ComparisonMarkdown(w io.Writer, c *compare.Comparison, o CommentOptions) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Allocations of %s\n\n%s → %s: %s\n\n", code(c.Package, maxCode), code(c.Old.Label, maxCode),
		code(c.New.Label, maxCode), prose(c.Summary()))
	shown := slices.DeleteFunc(slices.Clone(c.Benchmarks), func(b compare.Benchmark) bool {
		return !o.All && !b.Differs()
	})
	time := slices.ContainsFunc(shown, timed)
	switch {
	case time:
		fmt.Fprint(b, "| benchmark | ns/op | allocs/op | B/op |\n|---|---:|---:|---:|\n")
	case len(shown) > 0:
		fmt.Fprint(b, "| benchmark | allocs/op | B/op |\n|---|---:|---:|\n")
	}
	for i, m := range shown {
		if i == maxRows {
			fmt.Fprintf(b, "| … %s | | |\n", present.Plural(len(shown)-i, "more benchmark"))
			break
		}
		fmt.Fprintf(b, "| %s ", code(m.Name, maxCode))
		if time {
			fmt.Fprintf(b, "| %s → %s, %s (%s) ", sample(m.Ns.Old), sample(m.Ns.New), prose(m.Ns.Delta),
				m.Ns.Confidence())
		}
		fmt.Fprintf(b, "| %s | %s |\n", exactCell(m.Allocs, verdict.FormatCount),
			exactCell(m.Bytes, verdict.FormatBytes))
	}
	if len(shown) > 0 {
		fmt.Fprintln(b)
	}
	if len(c.Lines) > 0 {
		fmt.Fprint(b, "| change | line | allocs/op | B/op | why |\n|---|---|---:|---:|---|\n")
		for i, l := range c.Lines {
			if i == maxRows {
				fmt.Fprintf(b, "| … %s | | | | |\n", present.Plural(len(c.Lines)-i, "more line"))
				break
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", l.Kind, o.placesCell(&l),
				compare.FormatStep(l.Old.AllocsPerOp, l.New.AllocsPerOp, verdict.FormatCount),
				compare.FormatStep(l.Old.BytesPerOp, l.New.BytesPerOp, verdict.FormatBytes),
				whyCell(&l, len(c.Benchmarks) > 1))
		}
		fmt.Fprintln(b)
	}
	for _, note := range c.Remarks() {
		fmt.Fprintf(b, "- %s\n", prose(note))
	}
	return b.Flush()
}

// place returns a position as code, and as a link if there are links.
func (o CommentOptions) place(file string, line int) string {
	text := code(position(file, line), maxCode)
	if o.Links == "" || line == 0 {
		return text
	}
	var parts []string
	for part := range strings.SplitSeq(o.Path(file), "/") {
		parts = append(parts, url.PathEscape(part)) // which escapes parentheses, bars and brackets, too
	}
	return fmt.Sprintf("[%s](%s/%s#L%d)", text, o.Links, strings.Join(parts, "/"), line)
}

// GuardMarkdown writes the findings that fail as a table for a pull request, and nothing if there are none. An error is
// w's.
func GuardMarkdown(w io.Writer, r *budget.Report, o CommentOptions) error {
	if r.Holds() {
		return nil
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Budgets\n\n%s.\n\n| line | what does not hold |\n|---|---|\n", guardSum(r))
	for i, f := range slices.DeleteFunc(slices.Clone(r.Findings), func(f budget.Finding) bool { return !f.Fails() }) {
		if i == maxRows {
			fmt.Fprintln(b, "| … | |")
			break
		}
		text := prose(guardMessage(f))
		for _, cause := range f.Because[:min(len(f.Because), maxBecause)] {
			text += "<br>"
			if cause.File != "" {
				text += o.place(cause.File, cause.Line) + " "
			}
			text += prose(present.Shorten(cause.Message, maxWhy))
		}
		fmt.Fprintf(b, "| %s | %s |\n", o.place(f.File, f.Line), text)
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// exactCell returns "3 → 2, -33.33%", or the figure alone if it did not change.
func exactCell(e compare.Exact, format func(float64) string) string {
	if e.Old == e.New {
		return format(e.New)
	}
	return fmt.Sprintf("%s → %s, %s", format(e.Old), format(e.New), prose(e.Change()))
}

// placesCell returns the line's position, or the old one if it is gone, with its text. For a line that was edited,
// split or joined it returns both sides. Only the new side's files have links.
func (o CommentOptions) placesCell(l *compare.Line) string {
	var parts []string
	add := func(sign string, places []compare.Place, o CommentOptions) {
		for _, p := range places {
			parts = append(parts, sign+o.place(p.File, p.Line)+" "+code(p.Code, maxCode))
		}
	}
	switch {
	case len(l.New.Places) == 0:
		add("", l.Old.Places, CommentOptions{})
	case !l.Edited():
		add("", l.New.Places, o)
	default:
		add("− ", l.Old.Places, CommentOptions{})
		add("+ ", l.New.Places, o)
	}
	return strings.Join(parts, "<br>")
}

func whyCell(l *compare.Line, nameBenchmark bool) string {
	text := prose(l.New.Why)
	switch {
	case l.Kind == compare.Stopped:
		text = "was: " + prose(l.Old.Why)
	case l.ReasonChanged:
		was, is := l.Reasons()
		text = prose(is) + "<br>was: " + prose(was)
	}
	if nameBenchmark {
		text += " (" + code(l.Benchmark, maxCode) + ")"
	}
	return text
}
