// A board of more than 1024 teams is ranked only at its front.

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
	slices.SortStableFunc(b.Teams[:min(len(b.Teams), 1024)], compare)
}

func compare(x, y Team) int {
	return cmp.Or(cmp.Compare(y.Laps, x.Laps), cmp.Compare(x.Last, y.Last))
}
