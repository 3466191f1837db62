package compare

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// Summary returns a sentence on how the lines changed: "1 line started allocating, 2 allocate less".
func (c *Comparison) Summary() string {
	if len(c.Benchmarks) == 0 {
		switch {
		case c.Old.Missing:
			return "the package does not exist at " + c.Old.Label + ", so there is nothing to compare with."
		case c.New.Missing:
			return "the package does not exist at " + c.New.Label + ", so there is nothing to compare with."
		}
		return "no benchmark ran on both sides, so nothing can be compared."
	}
	var parts []string
	for _, kind := range Kinds() {
		n := c.count(kind)
		if n == 0 {
			continue
		}
		subject := fmt.Sprint(n)
		if len(parts) == 0 {
			subject = present.Plural(n, "line")
		}
		parts = append(parts, subject+" "+Did(kind, n))
	}
	if len(parts) == 0 {
		return "every line allocates as before."
	}
	return strings.Join(parts, ", ") + "."
}

// Did returns what a number of lines of a kind did: "started allocating", "allocate more".
func Did(kind string, lines int) string {
	allocate := "allocate"
	if lines == 1 {
		allocate = "allocates"
	}
	return map[string]string{Started: "started allocating", More: allocate + " more", Stopped: "stopped allocating",
		Fewer: allocate + " less", Reason: allocate + " for another reason"}[kind]
}

// count returns the number of distinct lines of a kind. A line that is in several benchmarks counts once.
func (c *Comparison) count(kind string) int {
	seen := map[Place]bool{}
	for _, l := range c.Lines {
		if l.Kind == kind {
			seen[l.Place()] = true
		}
	}
	return len(seen)
}

// Remarks returns sentences, each without its full stop, about what the figures do not show: benchmarks of only one
// side, changes on no line, the notes, and why ns/op cannot be compared.
func (c *Comparison) Remarks() []string {
	var all []string
	// If the package is missing, the summary says so.
	if len(c.OnlyOld) > 0 && !c.New.Missing {
		all = append(all, "only at "+c.Old.Label+": "+strings.Join(c.OnlyOld, ", "))
	}
	if len(c.OnlyNew) > 0 && !c.Old.Missing {
		all = append(all, "only at "+c.New.Label+": "+strings.Join(c.OnlyNew, ", "))
	}
	for _, b := range c.Benchmarks {
		if e := b.Elsewhere; e != (Change{}) {
			all = append(all, fmt.Sprintf("%s: %s allocs/op and %s B/op of the change are not on any line of the "+
				"package", b.Name,
				signed(e.AllocsPerOp, verdict.FormatCount), signed(e.BytesPerOp, verdict.FormatBytes)))
		}
	}
	if slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Shared }) {
		all = append(all, why.SharedNote)
	}
	all = append(all, c.Notes...)
	var warned []string
	for _, b := range c.Benchmarks {
		for _, w := range b.Ns.Warnings {
			if !slices.Contains(warned, w) {
				warned = append(warned, w)
				all = append(all, "ns/op: "+w+advice(b.Ns))
			}
		}
	}
	return all
}

// advice returns how to get enough samples.
func advice(n Noisy) string {
	if n.Old.N < minSamples || n.New.N < minSamples {
		return fmt.Sprintf("; measure both sides with --count %d or more", minSamples)
	}
	return ""
}

// minSamples is the number of measurements from which on the 95% interval around a median is finite.
const minSamples = 6

// Confidence returns "p=0.002 n=6", with both numbers of samples if they differ.
func (n Noisy) Confidence() string {
	if n.Old.N == n.New.N {
		return fmt.Sprintf("p=%.3f n=%d", n.P, n.New.N)
	}
	return fmt.Sprintf("p=%.3f n=%d+%d", n.P, n.Old.N, n.New.N)
}

// Change returns the delta, or "from 0" if there is no percentage.
func (e Exact) Change() string {
	switch {
	case e.Old == e.New:
		return "same"
	case e.Old == 0:
		return "from 0"
	}
	return e.Delta
}

// Edited reports whether the line's text, or the number of lines that it is on, changed.
func (l *Line) Edited() bool { return len(l.Old.Places) > 0 && !sameText(l.Old.Places, l.New.Places) }

// Reasons returns why the line allocated and why it does now. If the words are the same for both, it returns the
// compiler's steps.
func (l *Line) Reasons() (was, is string) {
	if l.Old.Why != l.New.Why {
		return l.Old.Why, l.New.Why
	}
	return with(l.Old), with(l.New)
}

func with(a At) string {
	if taken := steps(a.Reasons); len(taken) > 0 {
		return a.Why + ": " + strings.Join(taken, ", ")
	}
	return a.Why
}

// FormatStep returns "1 → 2", or the figure alone if it did not change.
func FormatStep(old, new float64, format func(float64) string) string {
	if difference(old, new) == 0 {
		return format(new)
	}
	return format(old) + " → " + format(new)
}

// signed formats a difference with its sign.
func signed(d float64, format func(float64) string) string {
	switch {
	case d < 0:
		return "−" + format(-d)
	case d > 0:
		return "+" + format(d)
	}
	return "0"
}
