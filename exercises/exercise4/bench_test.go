package race_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"onthestack/exercises/exercise4"
)

// BenchmarkRank is a race of 24 teams. In every operation three of them cross the
// line in the same second and the board is ranked. Each ranking is compared with
// what must come.
func BenchmarkRank(b *testing.B) {
	board := &race.Board{Teams: slices.Clip(randomTeams(newRand(b), 24))}
	want := slices.Clone(board.Teams)
	board.Rank()

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		now := clock + i
		for _, place := range [...]int{now % 24, now / 3 % 24, now / 7 % 24} {
			team := &board.Teams[place]
			team.Laps++
			team.Last = time.Duration(now) * time.Second
		}
		copy(want, board.Teams)
		rankSlowly(want)
		board.Rank()
		if !slices.Equal(board.Teams, want) {
			b.Fatalf("wrong order\n  got:  %s\n  want: %s", show(board.Teams), show(want))
		}
	}
}
