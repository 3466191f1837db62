package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/why"
)

// ProfileOptions say how a heap profile is shown.
type ProfileOptions struct {
	Width   int    // columns
	Command string // the name by which the reader calls the checker
	// Top is how many lines to show, also lines with few samples; 0 for all but these.
	Top int
}

// Profile writes which lines of a module allocate in a heap profile: the source of each, its figures, and the reasons.
func Profile(w io.Writer, r *heapprofile.Report, o ProfileOptions) {
	profileHead(w, r, o.Width)
	shown, less := profileLines(r, o.Top)
	for _, group := range byFunction(shown) {
		fmt.Fprintf(w, "  %s\n", present.Bold.Render(printable.Clean(group[0].File))+", "+
			printable.Clean(why.Outermost(group[0].Func)))
		for _, l := range group {
			profileLine(w, r, l, o.Width)
		}
		fmt.Fprintln(w)
	}
	for _, text := range profileRest(r, less) {
		fmt.Fprint(w, present.Indent(2, printable.Clean(text), o.Width))
	}
	if n, ok := nextOf(r, shown, o.Command); ok {
		n.write(w, o.Width)
	}
}

// profileHead writes what the whole profile has, and what the reader has to know about it.
func profileHead(w io.Writer, r *heapprofile.Report, width int) {
	left := present.Bold.Render(printable.Clean(r.Module))
	if r.Go != "" { // something was compiled
		right := printable.Clean(fmt.Sprintf("%s %s/%s", r.Go, r.GOOS, r.GOARCH))
		gap := max(2, width-lipgloss.Width(left)-lipgloss.Width(right))
		left += strings.Repeat(" ", gap) + present.Faint.Render(right)
	}
	fmt.Fprintf(w, "%s\n\n", left)
	fmt.Fprint(w, present.Indent(2, profileSummary(r)+profileCollections(r), width))
	for _, text := range r.Notes {
		fmt.Fprint(w, hanging(present.Warm.Render("note")+"  ", printable.Clean(text), width))
	}
	fmt.Fprintln(w)
}

// profileSummary returns what the whole profile has, and how sure its figures are.
func profileSummary(r *heapprofile.Report) string {
	objects := profileCount(r.Objects) + " objects"
	if r.Objects == 1 {
		objects = "1 object"
	}
	text := fmt.Sprintf("%s: %s in %s%s", present.Capital(r.Measure), profileBytes(r.Bytes), objects, perUnit(r))
	if r.Bytes > 0 {
		text += fmt.Sprintf(", %s of the bytes on lines of the module", present.Percent(r.ModuleBytes/r.Bytes))
	}
	switch {
	case r.Rate == 1:
		text += ". Every block was recorded: the figures are exact, but objects under 16 bytes may share a block."
	case r.Rate > 1:
		text += fmt.Sprintf(". Sampled every %d bytes: the true figures are within ± for 19 of 20 lines.", r.Rate)
	default:
		text += "."
	}
	return printable.Clean(text)
}

func perUnit(r *heapprofile.Report) string {
	if r.Per == nil {
		return ""
	}
	unit := r.Per.Unit
	if r.Per.N != 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return " per " + unit
}

// profileCount writes a number of objects with at least four digits: "18.97", "0.02503", "41203".
func profileCount(objects float64) string {
	if math.Abs(objects) >= 1000 {
		return fmt.Sprintf("%.0f", objects)
	}
	return strconv.FormatFloat(why.Significant(objects, 4), 'f', -1, 64)
}

// profileBytes writes a number of bytes with three digits and a unit: "2730 B", "57.3 kB", "3.41 GB".
func profileBytes(bytes float64) string {
	const units = "kMGTP"
	if math.Abs(bytes) < 10_000 {
		if math.Abs(bytes) < 10 && bytes != math.Trunc(bytes) {
			return profileCount(bytes) + " B"
		}
		return fmt.Sprintf("%.0f B", bytes)
	}
	unit := 0
	for bytes /= 1000; math.Abs(bytes) >= 999.5 && unit < len(units)-1; unit++ {
		bytes /= 1000
	}
	digits := 2
	for limit := 9.995; math.Abs(bytes) >= limit && digits > 0; limit *= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f %cB", digits, bytes, units[unit])
}

// profileLines returns the lines to show, and the others. With a top, those with few samples are shown too.
func profileLines(r *heapprofile.Report, top int) (shown, less []heapprofile.Line) {
	for _, l := range r.Lines {
		if top > 0 && len(shown) < top || top == 0 && !r.Few(l) {
			shown = append(shown, l)
		} else {
			less = append(less, l)
		}
	}
	return shown, less
}

// byFunction groups lines by file and function, most bytes first, and within a function in the order of the source.
// Closures belong to the function that they are declared in.
func byFunction(lines []heapprofile.Line) (groups [][]heapprofile.Line) {
	sums := map[string]float64{}
	name := func(l heapprofile.Line) string { return l.Package + " " + l.File + " " + why.Outermost(l.Func) }
	for _, l := range lines {
		i := slices.IndexFunc(groups, func(g []heapprofile.Line) bool { return name(g[0]) == name(l) })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], l)
		sums[name(l)] += l.Bytes
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b heapprofile.Line) int { return a.Line - b.Line })
	}
	slices.SortStableFunc(groups, func(a, b []heapprofile.Line) int {
		switch d := sums[name(b[0])] - sums[name(a[0])]; {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	return groups
}

// profileLine writes a line of source, its figures, and its reasons with their steps.
func profileLine(w io.Writer, r *heapprofile.Report, l heapprofile.Line, width int) {
	code := l.Code
	for i, text := range strings.Split(string(r.Source(l.File)), "\n") {
		if i+1 == l.Line && l.Changed == "" {
			code = text
		}
	}
	fmt.Fprintf(w, "%s\n", strings.TrimRight(fmt.Sprintf("%s %s %s", present.Bold.Render(present.Number(l.Line)),
		present.Faint.Render("│"), present.Code(code, width)), " "))
	fmt.Fprintf(w, "%s%s%s\n", strings.Repeat(" ", present.NoteMargin-2), present.Warm.Render("╰ "),
		present.Hang(present.NoteMargin, present.Heap.Render(profileFigure(r, l)), width))
	if text := profileWhy(l); text != "" {
		fmt.Fprint(w, present.Indent(present.NoteMargin, printable.Clean(text), width))
	}
	if chain := profileChain(r, l); chain != "" {
		fmt.Fprint(w, present.Indent(present.NoteMargin+4, present.Faint.Render(chain), width))
	}
	for _, s := range profileSteps(l) {
		lead := fmt.Sprintf("%4s  ", stepPlace(l, s))
		fmt.Fprintf(w, "%s%s%s\n", strings.Repeat(" ", present.NoteMargin), present.Faint.Render(printable.Clean(lead)),
			present.Hang(present.NoteMargin+lipgloss.Width(lead), printable.Clean(s.Message), width))
	}
}

// profileFigure writes "41 % (58 % of the module)   18.97 allocs ± 4 %, 2727 B ± 5 % per request".
func profileFigure(r *heapprofile.Report, l heapprofile.Line) string {
	var text string
	if r.Bytes > 0 && l.Bytes >= 0 {
		text = present.Percent(l.Bytes / r.Bytes)
		if ofModule := present.Percent(present.Part(l.Bytes, r.ModuleBytes)); r.ModuleBytes > 0 && ofModule != text {
			text += " (" + ofModule + " of the module)"
		}
		text += "   "
	}
	return text + objectsIn(r, l.Objects) + profileMargin(l.Objects, l.ObjectsMargin, " ") + ", " + profileBytes(l.Bytes) +
		profileMargin(l.Bytes, l.BytesMargin, " ") + perUnit(r)
}

// profileSum writes figures: "18.97 allocs, 2727 B per request".
func profileSum(r *heapprofile.Report, objects, bytes float64) string {
	return objectsIn(r, objects) + ", " + profileBytes(bytes) + perUnit(r)
}

// objectsIn writes a number of objects: "18.97 allocs", "1 object".
func objectsIn(r *heapprofile.Report, objects float64) string {
	count, what := profileCount(objects), profileObjects(r)
	if count == "1" {
		what = strings.TrimSuffix(what, "s")
	}
	return count + " " + what
}

// profileObjects returns what is counted: "allocs" or "objects".
func profileObjects(r *heapprofile.Report) string {
	if r.Measure == "allocated" {
		return "allocs"
	}
	return "objects"
}

// profileMargin writes a margin in relation to its figure after a lead: " ± 4 %". It returns "" for an exact figure.
func profileMargin(figure, margin float64, lead string) string {
	if figure == 0 || margin == 0 {
		return ""
	}
	return lead + "± " + present.Percent(margin/math.Abs(figure))
}

// profileWhy returns the reason of a line, or why there is none.
func profileWhy(l heapprofile.Line) string {
	if l.Changed != "" {
		return "not explained: " + l.Changed
	}
	return l.Why
}

// profileSteps returns the steps by which the line's values get to the heap, each once.
func profileSteps(l heapprofile.Line) (steps []escape.Step) {
	seen := map[string]bool{}
	for _, r := range l.Reasons {
		for _, s := range r.Flow {
			if key := stepPlace(l, s) + s.Message; s.Message != "" && !seen[key] {
				seen[key] = true
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// stepPlace returns where a step is: the line, with the file if that is another one.
func stepPlace(l heapprofile.Line, s escape.Step) string {
	if s.File == "" || s.File == l.File || strings.HasSuffix(l.File, "/"+s.File) {
		return fmt.Sprint(s.Line)
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// maxOutside is how many packages are named that allocate without a line of the module.
const maxOutside = 5

// profileRest returns what the lines above leave out.
func profileRest(r *heapprofile.Report, less []heapprofile.Line) (rest []string) {
	few, bytes := true, 0.0
	for _, l := range less {
		few, bytes = few && r.Few(l), bytes+l.Bytes
	}
	share := func(bytes float64) string { return present.Percent(present.Part(bytes, r.Bytes)) }
	switch {
	case len(less) == 0:
	case few:
		rest = append(rest, fmt.Sprintf("%s with fewer than ten samples: %s of the bytes. --top %d shows them too.",
			present.Plural(len(less), "more line"), share(bytes), len(r.Lines)))
	default:
		rest = append(rest, fmt.Sprintf("%s: %s of the bytes.", present.Plural(len(less), "more line"), share(bytes)))
	}
	if len(r.Outside) > 0 && r.Bytes > 0 {
		var names []string
		sum := 0.0
		for i, o := range r.Outside {
			sum += o.Bytes
			if i < maxOutside && o.Bytes >= 0.005*r.Bytes {
				names = append(names, o.Package+" "+share(o.Bytes))
			}
		}
		text := "Without a line of the module on the stack: " + share(sum) + " of the bytes"
		if len(names) > 0 {
			text += ", in " + strings.Join(names, ", ")
		}
		rest = append(rest, text+".")
	}
	return rest
}
