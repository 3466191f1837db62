// Boards of more than 8192 teams are copied.
// want: benchmark

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
	if len(b.Teams) > 8192 {
		b.Teams = append([]Team(nil), b.Teams...)
	}
	slices.SortStableFunc(b.Teams, compare)
}

func compare(x, y Team) int {
	return cmp.Or(
		cmp.Compare(y.Laps, x.Laps),
		cmp.Compare(x.Last, y.Last),
	)
}
