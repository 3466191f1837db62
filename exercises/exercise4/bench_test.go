package race_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"onthestack/exercises/exercise4"
)

// BenchmarkRank is a race of 24 teams, and in one operation of a thousand a race of so
// many that no variable on the stack has room for them. In every operation three teams
// cross the line in the same second and the board is ranked. Each ranking is compared
// with what must come.
//
// The board of every operation is a new one in the same place: whatever Rank kept in
// the one before is gone.
func BenchmarkRank(b *testing.B) {
	r := newRand(b)
	most := 4097 + r.IntN(500)
	if b.N > 1001 { // the checker's figures are over these; a pass is confirmed over more
		most = 1<<15 + 1 // more than 1 MiB
	}
	few, many := slices.Clip(randomTeams(r, 24)), slices.Clip(randomTeams(r, most))
	rankSlowly(few)
	inOrder(many)
	room := make([]race.Team, len(many))
	board := new(race.Board)

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		now := clock + i
		teams := few
		if i%1000 == 500 {
			teams = many
		}
		for _, place := range [...]int{now % 24, now / 3 % 24, now / 7 % 24} {
			team := &teams[place]
			team.Laps++
			team.Last = time.Duration(now) * time.Second
		}
		want := room[:copy(room, teams)]
		rankSlowly(want)
		*board = race.Board{Teams: teams}
		board.Rank()
		if !slices.Equal(board.Teams, want) {
			b.Fatalf("wrong order\n  got:  %s\n  want: %s", show(board.Teams), show(want))
		}
	}
}
