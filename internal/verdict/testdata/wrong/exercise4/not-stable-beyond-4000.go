// From 4000 teams on, equal teams do not keep their order.

package race

import (
	"cmp"
	"slices"
	"time"
)

type Team struct {
	Name string
	Laps int
	Last time.Duration
}

type Board struct {
	Teams []Team
}

func (b *Board) Rank() {
	if len(b.Teams) >= 4000 {
		slices.SortFunc(b.Teams, compare)
		return
	}
	slices.SortStableFunc(b.Teams, compare)
}

func compare(x, y Team) int {
	return cmp.Or(cmp.Compare(y.Laps, x.Laps), cmp.Compare(x.Last, y.Last))
}
