package report

import (
	"io"
	"slices"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapdiff"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// ProfileIncreasesSARIF writes a log with the lines that started to allocate or allocate more, according to a comparison
// of two profiles. They are lines of the report on the new profile, and have the parts that they have in ProfileSARIF.
// An error is w's.
func ProfileIncreasesSARIF(w io.Writer, c *heapdiff.Comparison, r *heapprofile.Report, o SARIFOptions) error {
	log := newSARIF(&verdict.Verdict{}, SARIFOptions{Version: o.Version})
	results, left := []object{}, 0
	for _, l := range c.Lines {
		if l.Once || l.Kind != compare.Started && l.Kind != compare.More {
			continue
		}
		now := slices.IndexFunc(r.Lines, func(now heapprofile.Line) bool {
			_, known := o.Others[now.Package]
			return known && now.Changed == "" && slices.ContainsFunc(l.New.Places, func(p compare.Place) bool {
				return p.File == now.File && p.Line == now.Line
			})
		})
		if now < 0 || len(results) == maxResults {
			left++
			continue
		}
		results = append(results, log.ofLine(r, r.Lines[now], o.Others).increase(c, l, r, r.Lines[now]))
	}
	notes := c.Notes
	if left > 0 {
		notes = append(slices.Clone(notes), present.Plural(left, "more line")+" allocated more, and cannot be reported.")
	}
	return log.writeProfile(w, "profiles/", c.Module, notes, results, nil)
}

// increase returns the result for a line of a comparison, which is at a line of the report on the new profile.
func (b *sarifBuilder) increase(c *heapdiff.Comparison, l heapdiff.Line, r *heapprofile.Report,
	now heapprofile.Line) object {
	result := b.profileLine(r, now)
	message := lineChange(c, l)
	if reason := profileReason(r, now); reason != "" {
		message += ": " + reason
	}
	result["level"], result["message"] = "warning", escapeMessage(printable.Inline(message)+".")
	result["properties"] = object{"old": object{"objects": l.Objects.Old, "bytes": l.Bytes.Old},
		"new": object{"objects": l.Objects.New, "bytes": l.Bytes.New}}
	delete(result, "rank") // which is the line's share of the new profile
	return result
}
