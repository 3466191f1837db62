package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapdiff"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// ProfileComparison writes what changed between two heap profiles: the figures of the whole, then the lines grouped by
// how they changed, and the unchanged ones too if all are wanted.
func ProfileComparison(w io.Writer, c *heapdiff.Comparison, all bool, width int) {
	comparedSides(w, c.Module, c.Old.Label, c.New.Label, width)
	fmt.Fprint(w, present.Indent(2, printable.Clean(wholeChange(c)), width)+"\n")
	for _, kind := range compare.Kinds() {
		profileChanges(w, c, compare.Did(kind, 2), kindStyle(kind), slices.DeleteFunc(slices.Clone(c.Lines),
			func(l heapdiff.Line) bool { return l.Kind != kind }), width)
	}
	if all {
		profileChanges(w, c, "allocate as before", present.Bold, c.Same, width)
	}
	for _, o := range c.Outside {
		fmt.Fprint(w, present.Indent(2, printable.Clean(outsideChange(c, o)), width))
	}
	fmt.Fprint(w, present.Indent(2, printable.Clean(c.Summary()), width))
	for _, text := range c.Notes {
		fmt.Fprint(w, hanging(present.Warm.Render("note")+"  ", printable.Clean(text), width))
	}
}

// profileChanges writes lines that changed in one way.
func profileChanges(
	w io.Writer, c *heapdiff.Comparison, did string, style lipgloss.Style, lines []heapdiff.Line, width int,
) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", style.Render(did))
	last := ""
	for _, l := range lines {
		changed := l.Compared()
		if text := heading(changed); text != last {
			fmt.Fprint(w, present.Indent(4, text, width))
			last = text
		}
		if wholeFunction(changed) {
			fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", present.NoteMargin-2),
				present.Faint.Render("│ the whole function"))
		} else {
			changedLine(w, changed, width)
		}
		fmt.Fprintf(w, "%s%s%s\n", strings.Repeat(" ", present.NoteMargin-2), present.Warm.Render("╰ "),
			present.Hang(present.NoteMargin, present.Heap.Render(lineChange(c, l)), width))
		for _, text := range changedReasons(changed) {
			fmt.Fprint(w, present.Indent(present.NoteMargin, printable.Clean(text), width))
		}
	}
	fmt.Fprintln(w)
}

// wholeFunction reports whether a line is a function, whose lines are not in the sources.
func wholeFunction(l *compare.Line) bool { return l.Place().Line == 0 }

// changedReasons returns why a line allocates, and why it did if that is another reason.
func changedReasons(l *compare.Line) (all []string) {
	switch {
	case l.Kind == compare.Stopped && l.Old.Why != "":
		return []string{"was: " + l.Old.Why}
	case l.ReasonChanged:
		was, is := l.Reasons()
		return []string{"now: " + is, "was: " + was}
	case l.New.Why != "":
		return []string{l.New.Why}
	}
	return nil
}

// wholeChange writes "Allocated per request: 2727 → 3010 B (+10 % ± 1 %); 18.97 → 19.02 objects (~)."
func wholeChange(c *heapdiff.Comparison) string {
	return fmt.Sprintf("%s%s: %s; %s.", present.Capital(c.Measure), comparedUnit(c), figureChange(c.Bytes, bytesFormat),
		figureChange(c.Objects, objectsFormat("objects")))
}

// lineChange writes "18.97 → 22.8 allocs (+20 % ± 4 %); 2727 → 3272 B (+20 % ± 4 %), per request".
func lineChange(c *heapdiff.Comparison, l heapdiff.Line) string {
	what := "objects"
	if c.Measure == "allocated" {
		what = "allocs"
	}
	text := fmt.Sprintf("%s; %s", figureChange(l.Objects, objectsFormat(what)), figureChange(l.Bytes, bytesFormat))
	if unit := comparedUnit(c); unit != "" {
		text += "," + unit
	}
	if l.Once {
		text += " (as much in both profiles, so probably once)"
	}
	return text
}

// outsideChange writes what changed in a package, without a line of the module on the stack.
func outsideChange(c *heapdiff.Comparison, o heapdiff.Outside) string {
	text := fmt.Sprintf("Without a line of the module on the stack, in %s: %s; %s%s", o.Package,
		figureChange(o.Bytes, bytesFormat), figureChange(o.Objects, objectsFormat("objects")), comparedUnit(c))
	if o.Once {
		text += " (as much in both profiles, so probably once)"
	}
	return text + "."
}

func comparedUnit(c *heapdiff.Comparison) string {
	return perUnit(&heapprofile.Report{Per: c.New.Per})
}

func bytesFormat(old, new float64) string {
	was, is := profileBytes(old), profileBytes(new)
	if unit := is[strings.LastIndexByte(is, ' '):]; strings.HasSuffix(was, unit) { // "2727 → 3272 B"
		was = strings.TrimSuffix(was, unit)
	}
	return was + " → " + is
}

func objectsFormat(what string) func(old, new float64) string {
	return func(old, new float64) string { return profileCount(old) + " → " + profileCount(new) + " " + what }
}

// figureChange writes a figure of both sides, and the difference with its margin: "2727 → 3272 B (+20 % ± 4 %)". A
// difference that does not count is a "~", as benchstat has it.
func figureChange(f heapdiff.Figure, format func(old, new float64) string) string {
	text := format(f.Old, f.New)
	switch {
	case f.Old == f.New:
		return strings.TrimSpace(text[strings.Index(text, "→")+len("→"):])
	case !f.Changed:
		return text + " (~)"
	case f.Old == 0:
		return text
	}
	change := fmt.Sprintf("%+.1f %%", 100*(f.New-f.Old)/f.Old)
	if math.Abs(f.New-f.Old) >= 0.1*f.Old {
		change = fmt.Sprintf("%+.0f %%", 100*(f.New-f.Old)/f.Old)
	}
	if f.Margin > 0 {
		change += " ± " + present.Percent(f.Margin/f.Old)
	}
	return text + " (" + strings.Replace(change, "-", "−", 1) + ")"
}
