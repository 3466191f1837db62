// The task: checkalloc task exercise10

// Package race keeps the board of a relay race in order:
// teams run laps for a day and a night, and whenever one
// crosses the line, the board is ranked anew.
package race

import (
	"sort"
	"time"
)

// A Team is one line of the board.
type Team struct {
	Name string
	Laps int           // that are complete
	Last time.Duration // from the start to the end of the last lap
}

// A Board has the teams in the order of the last ranking.
type Board struct {
	Teams []Team
}

// Rank puts the teams in order: those with more laps come
// first; with the same laps, those with the smaller Last;
// and teams that are equal in both stay in the order that
// they have on the board. Laps and Last may be any number,
// and there may be any number of teams.
//
// Rank moves teams within Teams and changes nothing else,
// neither in a team nor past the end of the slice.
// Goroutines may rank boards at once, each its own.
func (b *Board) Rank() {
	sort.Stable(byLast(b.Teams))
	// The laps decide, so they are sorted last.
	sort.Stable(sort.Reverse(byLaps(b.Teams)))
}

// byLast has the smallest Last first.
type byLast []Team

func (t byLast) Len() int           { return len(t) }
func (t byLast) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t byLast) Less(i, j int) bool { return t[i].Last < t[j].Last }

// byLaps has the fewest laps first.
type byLaps []Team

func (t byLaps) Len() int           { return len(t) }
func (t byLaps) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t byLaps) Less(i, j int) bool { return t[i].Laps < t[j].Laps }
