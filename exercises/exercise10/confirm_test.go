package race_test

import (
	"slices"
	"testing"

	"onthestack/exercises/exercise10"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkRank by itself, with inputs of other classes.

// BenchmarkRankConfirm ranks boards of up to 60 teams, of each length.
func BenchmarkRankConfirm(b *testing.B) {
	r := newRand(b)
	var rankings []ranking
	for n := range 61 {
		rankings = append(rankings, newRanking(r, n))
	}
	confirm(b, rankings, nil)
}

// BenchmarkRankConfirmLong ranks boards of any length in one of 200 operations, up to more than 1 MiB of
// teams. No variable on the stack has room for so many.
func BenchmarkRankConfirmLong(b *testing.B) {
	r := newRand(b)
	long := []ranking{newRanking(r, 1<<15+1+r.IntN(1<<12))}
	for range 24 {
		long = append(long, newRanking(r, anySize(r, 1<<14)))
	}
	confirm(b, []ranking{newRanking(r, 24)}, long)
}

// confirm ranks each of the boards in turn, and one of rare in 200 operations. The board of every operation
// is a new one in the same place, so that whatever Rank kept in the one before is gone. Every other one has
// room past the end.
func confirm(b *testing.B, rankings, rare []ranking) {
	most := 0
	for _, all := range slices.Concat(rankings, rare) {
		most = max(most, len(all.teams))
	}
	room := make([]race.Team, most+1)
	board := new(race.Board)

	i := 0
	for b.Loop() {
		ranking := &rankings[i%len(rankings)]
		if len(rare) > 0 && i%200 == 0 {
			ranking = &rare[i/200%len(rare)]
		}
		n := copy(room, ranking.teams)
		*board = race.Board{Teams: room[:n]}
		if i%2 == 0 {
			board.Teams = room[:n:n]
		}
		board.Rank()
		if !slices.Equal(board.Teams, ranking.want) {
			b.Fatalf("wrong order\n  got:  %s\n  want: %s", show(board.Teams), show(ranking.want))
		}
		i++
	}
}
