// The task: checkalloc task exercise10

// Package race keeps the board of a relay race in order:
// teams run laps for a day and a night, and whenever one
// crosses the line, the board is ranked anew.
package race

import (
	"cmp"
	"slices"
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
	// Changed: sort.Stable takes an interface, and a slice is three words where the
	// interface has room for one. So each header was copied into a box on the heap,
	// 24 bytes, and sort.Reverse made a third value, 16 bytes, to wrap the second.
	// SortStableFunc has a type parameter instead. The slice is passed as a slice,
	// and the compiler's report has nothing left that escapes.
	//
	// Stable: SortFunc would look right on a board of up to twelve teams, which it
	// sorts by insertion, and shuffle equal teams on a longer one.
	slices.SortStableFunc(b.Teams, compare)
	// The cost: nothing at run time, even less than before, since one pass
	// does what took two. But the call needs this one slice type. A program that
	// sorts something other than a slice still needs sort.Interface; it can give
	// it a pointer to what it sorts, as in sort.Stable((*standing)(b)) with the
	// three methods on *standing. A pointer fits into the data word, and the
	// board that it points to exists already.
}

// compare is negative when x comes before y and 0 when neither comes first.
func compare(x, y Team) int {
	// Changed: what was decided by the order of two sorts is one comparison. The
	// laps have y in front, which is what sort.Reverse was for. cmp.Compare and not
	// a subtraction: the difference of two numbers can overflow.
	return cmp.Or(
		cmp.Compare(y.Laps, x.Laps),
		cmp.Compare(x.Last, y.Last),
	)
}
