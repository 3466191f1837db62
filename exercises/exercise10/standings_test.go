package race_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"onthestack/exercises/exercise10"
)

// check ranks the teams and compares everything that the comment of Rank promises.
func check(t *testing.T, teams []race.Team) {
	t.Helper()
	want := slices.Clone(teams)
	inOrder(want)

	// After the slice lie teams that are none of Rank's business.
	behind := race.Team{Name: "behind", Laps: math.MaxInt, Last: -1}
	whole := append(slices.Clone(teams), behind, behind)
	board := &race.Board{Teams: whole[:len(teams)]}
	board.Rank()

	if len(board.Teams) != len(teams) || cap(board.Teams) != cap(whole) ||
		len(teams) > 0 && &board.Teams[0] != &whole[0] {
		t.Fatalf("Rank must move teams within Teams: the slice is another one now\n  teams: %s", show(teams))
	}
	for i, team := range whole[len(teams):] {
		if team != behind {
			t.Fatalf("Rank changes a team past the end of the slice, at %d + %d\n  got:  %v\n  want: %v",
				len(teams), i, team, behind)
		}
	}
	for i := range want {
		if board.Teams[i] != want[i] {
			t.Fatalf("wrong team in place %d of %d\n  teams: %s\n  got:   %s\n  want:  %s\n  there: got %v, want %v",
				i+1, len(teams), show(teams), show(board.Teams), show(want), board.Teams[i], want[i])
		}
	}
}

// show writes the first few teams.
func show(teams []race.Team) string {
	if len(teams) > 8 {
		return fmt.Sprint(teams[:8]) + " …"
	}
	return fmt.Sprint(teams)
}

func TestRank(t *testing.T) {
	type teams = []race.Team
	for _, test := range []struct {
		name  string
		teams teams
	}{
		{"no board", nil},
		{"no teams", teams{}},
		{"one team", teams{{"A", 3, 20}}},
		{"more laps, though later", teams{{"A", 1, 10}, {"B", 2, 20}}},
		{"the same laps, earlier", teams{{"A", 2, 20}, {"B", 2, 10}}},
		{"in order already", teams{{"A", 3, 5}, {"B", 2, 10}, {"C", 2, 20}}},
		{"the other way round", teams{{"C", 2, 20}, {"B", 2, 10}, {"A", 3, 5}}},
		{"equal in both", teams{{"B", 2, 10}, {"A", 2, 10}, {"C", 2, 10}}},
		{"equal in both, below another", teams{{"B", 2, 10}, {"A", 2, 10}, {"C", 2, 9}, {"D", 2, 10}}},
		{"the very same team twice", teams{{"A", 1, 1}, {"B", 2, 2}, {"A", 1, 1}}},
		{"nobody has a lap", teams{{"B", 0, 0}, {"A", 0, 0}}},
		{"names do not matter", teams{{"", 0, 0}, {"Zebras", 1, 1}, {"", 0, 0}}},
		{"laps taken away", teams{{"A", -2, 0}, {"B", -1, 0}, {"C", 0, 0}}},
		{"a start before the start", teams{{"A", 1, 0}, {"B", 1, -5}}},
		{"the extremes of laps", teams{{"A", math.MinInt, 0}, {"B", math.MaxInt, 0}, {"C", 1, 0}, {"D", -1, 0}}},
		{"the extremes of time", teams{{"A", 1, math.MaxInt64}, {"B", 1, math.MinInt64}, {"C", 1, 1}, {"D", 1, -1}}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.teams) })
	}
}

// A sort may treat lengths differently, so each one gets its turn. Short slices
// are often sorted by insertion, which keeps equal teams in order by itself.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	for n := range 130 {
		check(t, randomTeams(r, n))
	}
}

// There may be any number of teams: more than any array that a solution might set
// aside, and than any variable on the stack can hold, which ends at 128 KiB.
func TestManyTeams(t *testing.T) {
	r := newRand(t)
	for range 10 {
		check(t, randomTeams(r, 128+anySize(r, 4<<10)))
	}
	check(t, randomTeams(r, 1<<13+1+r.IntN(1<<13)))

	// More than 1 MiB of teams, in order except for a few, so that ranking them is quick.
	board := &race.Board{Teams: make([]race.Team, 1<<15+1+r.IntN(1<<15))}
	for i := range board.Teams {
		board.Teams[i].Laps = -i
	}
	for range 20 {
		i, j := r.IntN(len(board.Teams)), r.IntN(len(board.Teams))
		board.Teams[i], board.Teams[j] = board.Teams[j], board.Teams[i]
	}
	board.Rank()
	for i, team := range board.Teams {
		if team.Laps != -i {
			t.Fatalf("wrong team in place %d of %d\n  got:  %v\n  want: %v", i+1, len(board.Teams), team,
				race.Team{Laps: -i})
		}
	}
}

// Numbers from the whole range, with neighbors that differ by one, on boards of any length.
func TestAnyNumber(t *testing.T) {
	r := newRand(t)
	for i := range 60 {
		teams := randomTeams(r, 2+r.IntN(40))
		if i >= 50 {
			teams = randomTeams(r, 100+anySize(r, 2000))
		}
		laps, last := int(r.Uint64()), time.Duration(r.Uint64())
		for i := range teams {
			if r.IntN(2) == 0 {
				laps = int(r.Uint64())
			}
			if r.IntN(2) == 0 {
				last = time.Duration(r.Uint64())
			}
			teams[i].Laps, teams[i].Last = laps+r.IntN(2), last+time.Duration(r.IntN(2))
		}
		check(t, teams)
	}
}

// A whole race on one board: what was ranked before is the order that equal teams keep.
func TestRace(t *testing.T) {
	r := newRand(t)
	board := &race.Board{Teams: randomTeams(r, 40)}
	other := &race.Board{Teams: randomTeams(r, 7)}
	for range 200 {
		for _, b := range []*race.Board{board, other} {
			for range 1 + r.IntN(5) {
				team := &b.Teams[r.IntN(len(b.Teams))]
				team.Laps = r.IntN(4)
				team.Last = time.Duration(r.IntN(3))
			}
			before := slices.Clone(b.Teams)
			want := slices.Clone(before)
			rankSlowly(want)
			b.Rank()
			if !slices.Equal(b.Teams, want) {
				t.Fatalf("wrong order on a board that was ranked before\n  teams: %s\n  got:   %s\n  want:  %s",
					show(before), show(b.Teams), show(want))
			}
		}
	}
	// Teams come and go.
	for _, n := range []int{60, 3, 0, 1, 25} {
		board.Teams = randomTeams(r, n)
		want := slices.Clone(board.Teams)
		rankSlowly(want)
		board.Rank()
		if !slices.Equal(board.Teams, want) {
			t.Fatalf("wrong order on a board with other teams than before\n  got:  %s\n  want: %s", show(board.Teams),
				show(want))
		}
	}
}

// Boards are ranked at once, each by a goroutine of its own. Their teams lie one behind the
// other in one array, so that past the end of a board are the teams of the next.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	rounds := 50
	if runtime.NumCPU() == 1 {
		rounds = 2 // goroutines that take turns do not meet more often in more rounds
	}
	const boards = 8
	var all, want []race.Team
	var ends []int
	for i := range boards {
		n := 20 + r.IntN(60)
		if i%4 == 0 {
			n = 80 + anySize(r, 500)
		}
		teams := randomTeams(r, n)
		all = append(all, teams...)
		rankSlowly(teams)
		want = append(want, teams...)
		ends = append(ends, len(all))
	}
	array := slices.Clone(all)

	var calls sync.WaitGroup
	start := make(chan struct{})
	from := 0
	for _, end := range ends {
		board := &race.Board{Teams: array[from:end]}
		teams, want := all[from:end], want[from:end]
		from = end
		calls.Go(func() {
			<-start
			for range rounds {
				copy(board.Teams, teams)
				board.Rank()
				if !slices.Equal(board.Teams, want) {
					t.Errorf("wrong order when goroutines rank boards at once\n  got:  %s\n  want: %s",
						show(board.Teams), show(want))
					return
				}
			}
		})
	}
	close(start)
	calls.Wait()
}
