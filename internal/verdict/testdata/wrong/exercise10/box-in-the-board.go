// The box is made once and kept in the board, so the first ranking of each board allocates.
// want: benchmark

package race

import (
	"cmp"
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
	box   *boxed
}

func (b *Board) Rank() {
	if b.box == nil {
		b.box = new(boxed)
	}
	*b.box = boxed(b.Teams)
	sort.Stable(b.box)
}

type boxed []Team

func (t boxed) Len() int           { return len(t) }
func (t boxed) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t boxed) Less(i, j int) bool { return compare(t[i], t[j]) < 0 }

func compare(x, y Team) int {
	return cmp.Or(cmp.Compare(y.Laps, x.Laps), cmp.Compare(x.Last, y.Last))
}
