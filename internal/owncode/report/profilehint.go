package report

import (
	"strings"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
)

// ProfileHint writes the figures of a line in a few words, for an editor: "18.97 ± 4 % allocs/request, 2727 B". Without a
// unit, the line's share of all bytes comes first, since the totals grow for as long as the program runs.
func ProfileHint(r *heapprofile.Report, l heapprofile.Line) string {
	text := profileCount(l.Objects)
	if margin := relativeMargin(l); margin > 0 {
		text += " ± " + present.Percent(margin)
	}
	what := " allocs"
	if r.Measure != "allocated" {
		what = " objects"
	}
	if profileCount(l.Objects) == "1" {
		what = strings.TrimSuffix(what, "s")
	}
	text += what
	if unit, ok := strings.CutPrefix(perUnit(r), " per "); ok {
		text += "/" + unit
	}
	text += ", " + profileBytes(l.Bytes)
	if r.Measure != "allocated" {
		text += " in use"
	}
	if r.Per == nil && r.Bytes > 0 {
		text = present.Percent(l.Bytes/r.Bytes) + " of the bytes, " + text
	}
	return text
}
