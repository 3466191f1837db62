package room

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// at is submitted by somebody for an exercise.
func at(participant, exercise, id string) Event {
	return Event{Kind: Submitted, Participant: participant, Exercise: exercise, Submission: id}
}

func join(id, name string) Event {
	return Event{Kind: Joined, Participant: id, Name: name, TokenHash: Hash(id)}
}

// pair joins Ada and Ben at one seat.
var pair = Event{Kind: Joined, Participant: "ada1", Name: "Ada", TokenHash: Hash("ada1"),
	Partner: &Person{ID: "ben1", Name: "Ben", Identifier: "ben@example.edu", TokenHash: Hash("ben1")}}

// standings returns the lines of the gradebook: who, exercise, score, submission.
func standings(r *Room) (lines []string) {
	for _, row := range r.Gradebook() {
		lines = append(lines, fmt.Sprintf("%s %s %v %s", row.Name, row.Exercise, row.Score, row.Submission))
	}
	return lines
}

// names returns the names of the seats in the grid.
func names(r *Room) (all []string) {
	for _, p := range r.Present() {
		all = append(all, r.SeatName(p))
	}
	return all
}

// opens returns who sits where a key leads to, or "".
func opens(r *Room, key string) string {
	row, _ := r.ByToken(Hash(key))
	if row == nil {
		return ""
	}
	return row.ID
}

// TestPair tests that everything that one of a pair does is done for both, in one row of the grid and two of the
// gradebook, until they part.
func TestPair(t *testing.T) {
	events := []Event{created, pair, at("ada1", "exercise6", "a"), graded("a", 0, 0), at("ben1", "exercise6", "b"),
		graded("b", 0, 1), {Kind: Hand, Participant: "ben1", Exercise: "exercise6", Raised: true}}
	r := roomOf(events...)
	if got := names(r); !slices.Equal(got, []string{"Ada and Ben"}) || r.Present()[0].Hand != "exercise6" {
		t.Errorf("the grid has %q", got)
	}
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise6 1 b", "Ben exercise6 1 b"}) {
		t.Errorf("the gradebook has %q", got)
	}
	if work := r.Participants["ben1"].Work["exercise6"]; work.Attempts != 2 || len(work.All) != 2 {
		t.Errorf("Ben has %+v", work)
	}
	if opens(r, "ada1") != "ada1" || opens(r, "ben1") != "ben1" {
		t.Error("each has a key")
	}
	gone := roomOf(append(events, Event{Kind: Removed, Participant: "ada1"})...)
	if len(gone.Present()) != 0 || opens(gone, "ben1") != "" || len(gone.RemovedParticipants()) != 1 {
		t.Error("the seat was removed, and one of them is there")
	}
	back := roomOf(append(events, Event{Kind: Removed, Participant: "ada1"},
		Event{Kind: Restored, Participant: "ada1"})...)
	if len(back.Present()) != 1 || opens(back, "ben1") != "ben1" {
		t.Error("the seat was given back, and one of them is not there")
	}
	parted := roomOf(append(events, Event{Kind: Parted, Participant: "ben1"}, at("ben1", "exercise6", "c"),
		graded("c", 0, 1), Event{Kind: Regraded, Submission: "b", Regrade: 1}, graded("b", 1, 0))...)
	if got := names(parted); !slices.Equal(got, []string{"Ada", "Ben"}) {
		t.Errorf("parted, the grid has %q", got)
	}
	if got := standings(parted); !slices.Equal(got, []string{"Ada exercise6 0 a", "Ben exercise6 1 c"}) {
		t.Errorf("parted, the gradebook has %q", got)
	}
}

// TestRename tests that a name stays unique, and that the own old name does not count.
func TestRename(t *testing.T) {
	rename := func(id, name string) Event {
		return Event{Kind: Renamed, Participant: id, Name: name, Identifier: "x@example.edu"}
	}
	r := roomOf(created, join("1", "Ada"), join("2", "Ben"), rename("2", "ada"), rename("1", "ADA"), rename("3", "Chi"))
	if r.Participants["1"].Name != "ADA" || r.Participants["2"].Name != "ada (2)" || len(r.Participants) != 2 ||
		r.Participants["1"].Identifier != "x@example.edu" {
		t.Errorf("%+v, %+v", r.Participants["1"], r.Participants["2"])
	}
}

// TestAlike tests that no two participants have names that look the same, and that names in events from before that was
// compared stay what they were.
func TestAlike(t *testing.T) {
	for _, alike := range []bool{true, false} {
		with := func(e Event) Event {
			e.Alike = alike
			return e
		}
		second := with(join("4", "Zoe\u0308"))
		second.Partner = &Person{ID: "5", Name: "Ada\ufe0f", TokenHash: Hash("5")}
		r := roomOf(created, join("1", "Ada"), join("2", "Zoë"), with(join("3", "Ada\u200d")), second,
			join("6", "Eve"), with(Event{Kind: Renamed, Participant: "6", Name: "\u200dzoë"}))
		want := []string{"Ada", "Zoë", "Ada\u200d (2)", "Zoe\u0308 (2)", "Ada\ufe0f (3)", "\u200dzoë (3)"}
		for i, name := range want {
			if !alike {
				name, _, _ = strings.Cut(name, " (")
			}
			if got := r.Participants[fmt.Sprint(i+1)].Name; got != name {
				t.Errorf("compared by what they look like %t: participant %d is called %q, want %q", alike, i+1, got, name)
			}
		}
	}
}

// TestRekey tests that an old key opens nothing any more, also one of a row that was merged.
func TestRekey(t *testing.T) {
	r := roomOf(created, join("1", "Ada"), join("2", "Ada"), Event{Kind: Merged, Participant: "2", Into: "1"})
	if opens(r, "1") != "1" || opens(r, "2") != "1" {
		t.Errorf("the keys open %q and %q", opens(r, "1"), opens(r, "2"))
	}
	r.Apply(9, Event{Kind: Rekeyed, Participant: "2", TokenHash: Hash("new"), Numbering: Numbering})
	if opens(r, "1") != "" || opens(r, "2") != "" || opens(r, "new") != "1" {
		t.Errorf("the keys open %q, %q and %q", opens(r, "1"), opens(r, "2"), opens(r, "new"))
	}
}

// TestMerge merges rows: of two participants, of a row that has another one in it already, of one of a pair, and of
// rows that cannot be merged.
func TestMerge(t *testing.T) {
	merge := func(from, into string) Event { return Event{Kind: Merged, Participant: from, Into: into} }
	work := []Event{created, join("1", "Ada"), join("2", "Ada"), at("2", "exercise6", "a"), at("1", "exercise6", "b"),
		at("2", "exercise6", "c"), graded("b", 0, 0), graded("c", 0, 1), graded("a", 0, 0)}
	r := roomOf(append(work, merge("2", "1"))...)
	w := r.Participants["1"].Work["exercise6"]
	if !slices.Equal(w.All, []string{"a", "b", "c"}) || w.Best != "c" || !w.Passed || w.Attempts != 3 {
		t.Errorf("the row has %+v", w)
	}
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise6 1 c"}) || len(names(r)) != 1 {
		t.Errorf("the gradebook has %q, the grid %q", got, names(r))
	}
	for _, e := range []Event{at("2", "exercise6", "d"), graded("d", 0, 1), merge("1", "1"), merge("1", "2"),
		merge("x", "1"), merge("1", "x"), {Kind: Regraded, Submission: "c", Regrade: 1}, graded("c", 1, 0)} {
		e.Time, e.Numbering = r.Time, Numbering
		r.Apply(r.Sequence+1, e)
	}
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise6 1 d"}) || len(w.All) != 4 {
		t.Errorf("what came after that: %q, %+v", got, w)
	}
	chain := roomOf(append(work, join("3", "Ada"), merge("2", "1"), merge("1", "3"), merge("3", "2"))...)
	if got := standings(chain); !slices.Equal(got, []string{"Ada (3) exercise6 1 c"}) || opens(chain, "2") != "3" {
		t.Errorf("merged twice: %q", got)
	}
	// Ben sat with Ada at first, then alone under the same name.
	apart := roomOf(created, pair, join("3", "Ben"), at("ada1", "exercise6", "a"), graded("a", 0, 1), merge("ben1", "3"))
	if got := standings(apart); !slices.Equal(got, []string{"Ada exercise6 1 a", "Ben (2) exercise6 1 a"}) {
		t.Errorf("one of a pair: %q", got)
	}
	if got := names(apart); !slices.Equal(got, []string{"Ada", "Ben (2)"}) ||
		apart.Participants["3"].Identifier != "ben@example.edu" {
		t.Errorf("one of a pair: the grid has %q", got)
	}
	// The two of a pair share their submissions, which count once after merging.
	one := roomOf(created, pair, at("ada1", "exercise6", "a"), graded("a", 0, 1), merge("ben1", "ada1"))
	if w := one.Participants["ada1"].Work["exercise6"]; len(w.All) != 1 || len(names(one)) != 1 {
		t.Errorf("a pair that was one person: %+v", w)
	}
}

// TestPreview tests that a preview seat is nowhere but at its own page, and that a room keeps few of them.
func TestPreview(t *testing.T) {
	preview := func(id string) Event {
		return Event{Kind: Joined, Participant: id, Name: "Ada", TokenHash: Hash(id), Preview: true}
	}
	seeing := created
	seeing.SeesCode = true
	r := roomOf(seeing, preview("p0"), at("p0", "exercise6", "a"), graded("a", 0, 1), join("1", "Ada"),
		Event{Kind: Shared, Submission: "a"}, Event{Kind: Projected, Participant: "p0", Exercise: "exercise6", Code: "c"})
	if got := names(r); !slices.Equal(got, []string{"Ada"}) || len(r.RemovedParticipants()) != 0 {
		t.Errorf("the grid has %q", got)
	}
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise6 0 "}) || opens(r, "p0") != "p0" {
		t.Errorf("the gradebook has %q", got)
	}
	for i := range MaxPreviews {
		e := preview(fmt.Sprint("p", i+1))
		e.Time, e.Numbering = r.Time.Add(time.Second), Numbering
		r.Apply(r.Sequence+1, e)
	}
	if opens(r, "p0") != "" || opens(r, "p1") != "p1" || len(r.Submissions) != 0 || r.Joiners() != 1 ||
		len(r.Shared) != 0 || r.Projected != nil {
		t.Errorf("%d participants, %d submissions, shared %q, projected %v", len(r.Participants), len(r.Submissions),
			r.Shared, r.Projected)
	}
}

// TestAssign changes the exercises of a room. What was handed in for one that it no longer has is in the archive, and
// back in the gradebook when the room has the exercise again.
func TestAssign(t *testing.T) {
	assign := func(exercises ...string) Event { return Event{Kind: Assigned, Exercises: exercises} }
	events := []Event{created, join("ada1", "Ada"), {Kind: Hand, Participant: "ada1", Exercise: "exercise6", Raised: true},
		at("ada1", "exercise6", "aaaaaa"), graded("aaaaaa", 0, 1), assign(), assign("exercise7", "exercise8"),
		{Kind: Retitled, Title: "Tuesday"}}
	r := roomOf(events...)
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise7 0 ", "Ada exercise8 0 "}) || r.Title != "Tuesday" ||
		r.Participants["ada1"].Hand != "" {
		t.Errorf("%s: the gradebook has %q", r.Title, got)
	}
	var archive bytes.Buffer
	out := zip.NewWriter(&archive)
	add := func(name string, _ time.Time) (io.Writer, error) { return out.Create(name) }
	files := func(string) (map[string]string, error) { return map[string]string{"a.go": "package a"}, nil }
	if err := errors.Join(WriteArchive(add, r, files), out.Close()); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil || len(z.File) != 1 || !strings.HasPrefix(z.File[0].Name, "Ada-ada1/exercise6/") {
		t.Errorf("the archive has %v, %v", z, err)
	}
	r = roomOf(append(events, assign("exercise6"))...)
	if got := standings(r); !slices.Equal(got, []string{"Ada exercise6 1 aaaaaa"}) {
		t.Errorf("the exercise is back, and the gradebook has %q", got)
	}
}

// TestSeatsAtRandom applies random events about few people. Whatever their order, each submission is in the work of
// exactly the people for whom it counts, once and in order, nobody is in two rows of the grid, and a copy of the room is
// not changed by what follows.
func TestSeatsAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		r := New("K7M2QX")
		apply := func(e Event) {
			e.Time, e.Numbering = noon.Add(time.Duration(r.Sequence)*time.Second), Numbering
			r.Apply(r.Sequence+1, e)
		}
		apply(Event{Kind: Created, Title: "Monday", Exercises: []string{"exercise6", "exercise7"}})
		who := func() string { return fmt.Sprint("p", random.IntN(8)) }
		exercise := func() string { return fmt.Sprint("exercise", 6+random.IntN(2)) }
		handedIn := 0
		for range 120 {
			switch random.IntN(12) {
			case 0:
				apply(join(who(), "Ada"))
			case 1:
				e := join(who(), "Ada")
				if id := who(); id != e.Participant {
					e.Partner = &Person{ID: id, Name: "Ben", TokenHash: Hash(id)}
				}
				apply(e)
			case 2:
				apply(Event{Kind: Merged, Participant: who(), Into: who()})
			case 3:
				apply(Event{Kind: Parted, Participant: who()})
			case 4:
				e := join(fmt.Sprint("v", random.IntN(9)), "Preview")
				e.Preview = true
				apply(e)
				apply(at(e.Participant, exercise(), fmt.Sprint("v", handedIn)))
			case 5:
				apply(Event{Kind: []Kind{Removed, Restored, Renamed, Rekeyed}[random.IntN(4)], Participant: who(), Name: "Chi"})
			case 6, 7, 8:
				handedIn++
				apply(at(who(), exercise(), fmt.Sprint("s", handedIn)))
			case 9, 10:
				apply(graded(fmt.Sprint("s", 1+random.IntN(handedIn+1)), 0, float64(random.IntN(2))))
			case 11:
				apply(Event{Kind: Checked, Participant: who(), Exercise: exercise(), Progress: &Progress{Stage: "tests"}})
			}
		}
		checkSeats(t, r)
		before := standings(r)
		clone := r.Clone()
		for range 20 {
			apply(Event{Kind: Merged, Participant: who(), Into: who()})
			apply(at(who(), exercise(), fmt.Sprint("t", r.Sequence)))
		}
		if got := standings(clone); !slices.Equal(got, before) {
			t.Errorf("seed %d: the copy has %q, and had %q", seed, got, before)
		}
		checkSeats(t, clone)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkSeats(t *testing.T, r *Room) {
	t.Helper()
	held := map[string][]string{} // who has a submission in their work
	for _, p := range r.Participants {
		for exercise, w := range p.Work {
			for i, id := range w.All {
				s := r.Submissions[id]
				if s == nil || s.Exercise != exercise || i > 0 && r.Submissions[w.All[i-1]].sequence >= s.sequence {
					t.Errorf("%s has %v for %s", p.ID, w.All, exercise)
					return
				}
				held[id] = append(held[id], p.ID)
			}
			best := r.Counting(p.ID, exercise)
			if best == nil && w.Best != "" || best != nil && (best.ID != w.Best || best.Grade.Pass != w.Passed) {
				t.Errorf("%s has %+v, and %+v counts", p.ID, w, best)
			}
		}
		partner := r.Participants[p.Partner]
		if p.Partner != "" && (partner == nil || partner.Partner != p.ID || partner.Second == p.Second ||
			partner.Merged != "" || p.Merged != "") || p.Partner == "" && p.Second {
			t.Errorf("%+v and %+v are a pair", p.Seat, partner)
		}
		if p.Merged != "" && (len(p.Work) > 0 || r.Row(p.ID) == nil) {
			t.Errorf("%s is merged, and has %v", p.ID, p.Work)
		}
	}
	for id, s := range r.Submissions {
		slices.Sort(held[id])
		if wanted := slices.Sorted(slices.Values(s.For)); !slices.Equal(held[id], wanted) || len(wanted) == 0 {
			t.Errorf("%s counts for %v, and %v have it", id, wanted, held[id])
		}
	}
	seen := map[string]bool{}
	for _, p := range r.Present() {
		for _, person := range r.People(p) {
			if seen[person.ID] {
				t.Errorf("%s is in two rows", person.ID)
			}
			seen[person.ID] = true
		}
	}
}

// TestSeatsAnswer asks a question. A pair has one answer, a preview has none that counts, and of two rows that are
// merged the answer of the kept one counts.
func TestSeatsAnswer(t *testing.T) {
	answer := func(participant string, value int) Event {
		return Event{Kind: Answered, Participant: participant, Number: 1, Answer: value}
	}
	r := roomOf(created, pair, join("1", "Chi"), join("2", "Chi"), join("3", "Dan"), join("4", "Dan"),
		Event{Kind: Joined, Participant: "v", Name: "Preview", Preview: true},
		Event{Kind: Asked, Question: "stack-1", Choices: 3}, answer("ben1", 1), answer("v", 1), answer("1", 2),
		answer("2", 0), answer("4", 0), Event{Kind: Merged, Participant: "2", Into: "1"},
		Event{Kind: Merged, Participant: "4", Into: "3"})
	var got []string
	for _, count := range r.Counts(r.Question()) {
		for _, p := range count.By {
			got = append(got, fmt.Sprint(count.Answer, " ", r.SeatName(p)))
		}
	}
	if want := []string{"0 Dan", "1 Ada and Ben", "2 Chi"}; !slices.Equal(got, want) {
		t.Errorf("the answers are %q, want %q", got, want)
	}
}
