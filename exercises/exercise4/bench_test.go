package race_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"onthestack/exercises/exercise4"
)

// usual is how many operations have usual boards: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkRank is a race of 24 teams, and in one operation of a thousand a race of so
// many that no variable on the stack has room for them. In every operation three teams
// cross the line in the same second and the board is ranked. Each ranking is compared
// with what must come. After the usual operations every other board is of any length,
// in any order and with any laps.
//
// The board of every operation is a new one in the same place: whatever Rank kept in
// the one before is gone.
func BenchmarkRank(b *testing.B) {
	r := newRand(b)
	most := 4097 + r.IntN(500)
	if b.N > usual {
		most = 1<<15 + 1 // more than 1 MiB
	}
	few, many := slices.Clip(randomTeams(r, 24)), slices.Clip(randomTeams(r, most))
	rankSlowly(few)
	inOrder(many)
	var others, long []ranking
	if b.N > usual {
		for n := range 60 {
			others = append(others, newRanking(r, n))
		}
		for n := 64; n <= 4<<10; n *= 2 {
			long = append(long, newRanking(r, n+1))
		}
	}
	room, otherRoom := make([]race.Team, len(many)), make([]race.Team, 4<<10+1)
	board := new(race.Board)

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		var teams, want []race.Team
		if i > usual && i%2 == 1 {
			other := &others[i/2%len(others)]
			if i%1000 == 251 {
				other = &long[i/1000%len(long)]
			}
			teams, want = otherRoom[:copy(otherRoom, other.teams)], other.want
		} else {
			now := clock + i
			teams = few
			if i%1000 == 500 {
				teams = many
			}
			for _, place := range [...]int{now % 24, now / 3 % 24, now / 7 % 24} {
				team := &teams[place]
				team.Laps++
				team.Last = time.Duration(now) * time.Second
			}
			want = room[:copy(room, teams)]
			rankSlowly(want)
		}
		*board = race.Board{Teams: teams}
		board.Rank()
		if !slices.Equal(board.Teams, want) {
			b.Fatalf("wrong order\n  got:  %s\n  want: %s", show(board.Teams), show(want))
		}
	}
}
