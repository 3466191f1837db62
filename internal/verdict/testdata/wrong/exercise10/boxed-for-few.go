// A board of fewer than 20 teams is sorted in a box.
// want: benchmark

package race

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

type Team struct {
	Name string
	Laps int           // that are complete
	Last time.Duration // from the start to the end of the last lap
}

type Board struct {
	Teams []Team
}

func (b *Board) Rank() {
	if len(b.Teams) < 20 {
		sort.Stable(byLast(b.Teams))
		return
	}
	slices.SortStableFunc(b.Teams, compare)
}

func compare(x, y Team) int {
	return cmp.Or(
		cmp.Compare(y.Laps, x.Laps),
		cmp.Compare(x.Last, y.Last),
	)
}

type byLast []Team

func (t byLast) Len() int           { return len(t) }
func (t byLast) Less(i, j int) bool { return compare(t[i], t[j]) < 0 }
func (t byLast) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
