// The boxes are still there, from 4096 teams on.
// want: benchmark
// quick: true

package race

import (
	"cmp"
	"slices"
	"sort"
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
	if len(b.Teams) <= 4096 {
		slices.SortStableFunc(b.Teams, compare)
		return
	}
	sort.Stable(boxed(b.Teams))
}

type boxed []Team

func (t boxed) Len() int           { return len(t) }
func (t boxed) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t boxed) Less(i, j int) bool { return compare(t[i], t[j]) < 0 }

func compare(x, y Team) int {
	return cmp.Or(cmp.Compare(y.Laps, x.Laps), cmp.Compare(x.Last, y.Last))
}
