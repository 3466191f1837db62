package race_test

import (
	"fmt"
	"testing"
	"time"

	"onthestack/exercises/exercise10"
)

func BenchmarkRank(b *testing.B) {
	board := &race.Board{Teams: make([]race.Team, 24)}
	for i := range board.Teams {
		board.Teams[i].Name = fmt.Sprintf("Team %d", i+1)
	}

	for b.Loop() {
		// The last team of the board crosses the line.
		team := &board.Teams[len(board.Teams)-1]
		team.Laps++
		team.Last += time.Minute
		board.Rank()
	}
}
