// A board of more than 4096 teams has no room on the stack and panics.

package race

import (
	"cmp"
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
	var room [4096]Team
	merge(b.Teams, room[:len(b.Teams)])
}

// merge sorts teams by insertion into room.
func merge(teams, room []Team) {
	for i, team := range teams {
		at := i
		for ; at > 0 && compare(team, room[at-1]) < 0; at-- {
			room[at] = room[at-1]
		}
		room[at] = team
	}
	copy(teams, room)
}

func compare(x, y Team) int {
	return cmp.Or(cmp.Compare(y.Laps, x.Laps), cmp.Compare(x.Last, y.Last))
}
