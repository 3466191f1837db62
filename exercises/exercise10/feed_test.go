package race_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"onthestack/exercises/exercise10"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// anySize returns a number from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// ahead reports whether a must stand before b, wherever the two stood.
func ahead(a, b race.Team) bool {
	if a.Laps != b.Laps {
		return a.Laps > b.Laps
	}
	return a.Last < b.Last
}

// rankSlowly does what Rank must do, by other means: it puts each team after
// the last one that it is not ahead of. It allocates nothing.
func rankSlowly(teams []race.Team) {
	for i := range teams {
		team, place := teams[i], i
		for ; place > 0 && ahead(team, teams[place-1]); place-- {
			teams[place] = teams[place-1]
		}
		teams[place] = team
	}
}

// inOrder does what rankSlowly does, for boards that are too long for that: it sorts
// places, of which no two are equal.
func inOrder(teams []race.Team) {
	before := slices.Clone(teams)
	places := make([]int, len(teams))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		switch {
		case ahead(before[i], before[j]):
			return -1
		case ahead(before[j], before[i]):
			return 1
		}
		return cmp.Compare(i, j)
	})
	for i, place := range places {
		teams[i] = before[place]
	}
}

// randomTeams returns n teams with names of their own. Few laps and few times
// make for many teams that are equal.
func randomTeams(r *rand.Rand, n int) []race.Team {
	teams := make([]race.Team, n)
	for i := range teams {
		teams[i] = race.Team{
			Name: "Team " + strconv.Itoa(i+1),
			Laps: r.IntN(4),
			Last: time.Duration(r.IntN(3)) * time.Hour,
		}
	}
	return teams
}

// A ranking is a board and what must come of it.
type ranking struct{ teams, want []race.Team }

// newRanking returns n teams in any order, of every third board with laps and times that
// are negative.
func newRanking(r *rand.Rand, n int) ranking {
	teams := randomTeams(r, n)
	if r.IntN(3) == 0 {
		for i := range teams {
			teams[i].Laps -= r.IntN(8)
			teams[i].Last -= time.Duration(r.IntN(5)) * time.Hour
		}
	}
	want := slices.Clone(teams)
	inOrder(want)
	return ranking{teams, want}
}
