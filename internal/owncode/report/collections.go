package report

import (
	"fmt"

	"onthestack/internal/owncode/heapprofile"
)

// profileCollections returns sentences on how often the collector runs, each with a blank before it, "" if the profile
// does not tell.
func profileCollections(r *heapprofile.Report) string {
	c := r.Collections
	if c == nil {
		return ""
	}
	text := fmt.Sprintf(" The live heap is %s, so at GOGC=%d a collection starts about every %s of allocations",
		profileBytes(c.LiveBytes), c.GOGC, profileBytes(c.EveryBytes))
	switch n := c.PerUnit; {
	case n >= 1:
		text += fmt.Sprintf(", %s times%s", profileCount(n), perUnit(r))
	case n > 0:
		unit := r.Per.Unit
		text += fmt.Sprintf(", once in %s %s", profileCount(1/n), unit)
	}
	return text + ". A line's share of the bytes is also its share of the collections."
}
