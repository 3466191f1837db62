package heapdiff

import (
	"fmt"
	"strings"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/present"
)

// Compared returns the line as a change of a verdict, without figures.
func (l *Line) Compared() *compare.Line {
	at := func(a At) compare.At { return compare.At{Places: a.Places, Why: a.Why, Reasons: a.Reasons} }
	return &compare.Line{Kind: l.Kind, Old: at(l.Old), New: at(l.New), ReasonChanged: l.ReasonChanged}
}

// Summary returns sentences on how the lines changed: "1 line started allocating, 2 allocate less. 40 lines allocate as
// before."
func (c *Comparison) Summary() string {
	var parts []string
	for _, kind := range compare.Kinds() {
		n := 0
		for _, l := range c.Lines {
			if l.Kind == kind {
				n++
			}
		}
		if n == 0 {
			continue
		}
		subject := fmt.Sprint(n)
		if len(parts) == 0 {
			subject = present.Plural(n, "line")
		}
		parts = append(parts, subject+" "+compare.Did(kind, n))
	}
	text := "No line allocates more or less, as far as the samples tell."
	if len(parts) > 0 {
		text = strings.Join(parts, ", ") + "."
	}
	switch {
	case c.Unchanged > 0 && c.Few > 0:
		text += fmt.Sprintf(" As before: %s. Too few samples to tell: %d.", present.Plural(c.Unchanged, "line"), c.Few)
	case c.Unchanged > 0:
		text += fmt.Sprintf(" As before: %s.", present.Plural(c.Unchanged, "line"))
	case c.Few > 0:
		text += fmt.Sprintf(" Too few samples to tell: %s.", present.Plural(c.Few, "line"))
	}
	return text
}
