package room

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// roomOf applies events, one a minute from noon on unless they have a time.
func roomOf(events ...Event) *Room {
	r := New("K7M2QX")
	for i, e := range events {
		if e.Time.IsZero() {
			e.Time = noon.Add(time.Duration(i) * time.Minute)
		}
		e.Numbering = Numbering
		r.Apply(uint64(i+1), e)
	}
	return r
}

func submitted(id string, late bool) Event {
	return Event{Kind: Submitted, Participant: "ada1", Exercise: "exercise6", Submission: id, Late: late}
}

func graded(id string, regrade int, score float64) Event {
	return Event{Kind: Graded, Submission: id, Regrade: regrade, Grade: &Grade{Pass: score == 1, Score: score}}
}

var (
	created = Event{Kind: Created, Title: "Monday", Exercises: []string{"exercise6"}}
	joined  = Event{Kind: Joined, Participant: "ada1", Name: "Ada"}
)

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		name       string
		events     []Event
		best, last string
		passed     bool
		state      string // of the last submission
	}{
		{"not graded yet", []Event{submitted("a", false)}, "", "a", false, StateQueued},
		{"graded", []Event{submitted("a", false), graded("a", 0, 1)}, "a", "a", true, StateGraded},
		{"the better one", []Event{submitted("a", false), submitted("b", false), graded("b", 0, 0.2),
			graded("a", 0, 0.5)}, "a", "b", false, StateGraded},
		{"of equal ones the first",
			[]Event{submitted("a", false), submitted("b", false), graded("b", 0, 1), graded("a", 0, 1)},
			"a", "b", true, StateGraded},
		{"a late pass before a failure in time",
			[]Event{submitted("a", false), submitted("b", true), graded("a", 0, 0), graded("b", 0, 1)},
			"b", "b", true, StateGraded},
		{"graded once", []Event{submitted("a", false), graded("a", 0, 1), graded("a", 0, 0)}, "a", "a", true,
			StateGraded},
		{"submitted once", []Event{submitted("a", false), graded("a", 0, 1), submitted("a", false)}, "a", "a", true,
			StateGraded},
		{"failed", []Event{submitted("a", false), {Kind: Failed, Submission: "a", Why: "no disk"}}, "", "a", false,
			StateFailed},
		{"graded again", []Event{submitted("a", false), graded("a", 0, 1),
			{Kind: Regraded, Submission: "a", Regrade: 1}, graded("a", 1, 0)}, "a", "a", false, StateGraded},
		{"an old grading that ends late", []Event{submitted("a", false), {Kind: Regraded, Submission: "a", Regrade: 1},
			graded("a", 0, 1)}, "", "a", false, StateQueued},
		{"of nobody", []Event{submitted("a", false), {Kind: Submitted, Participant: "eve", Submission: "b"},
			graded("c", 0, 1)}, "", "a", false, StateQueued},
	} {
		r := roomOf(append([]Event{created, joined}, c.events...)...)
		w := r.Participants["ada1"].Work["exercise6"]
		if w.Best != c.best || w.Last() != c.last || w.Passed != c.passed || r.Submissions[w.Last()].State != c.state {
			t.Errorf("%s: best %q, last %q, passed %t, %s; want %q, %q, %t, %s", c.name, w.Best, w.Last(), w.Passed,
				r.Submissions[w.Last()].State, c.best, c.last, c.passed, c.state)
		}
	}
}

// TestApplyTwice tests that a room is the same however often the journal delivers an event.
func TestApplyTwice(t *testing.T) {
	raised := Event{Kind: Hand, Participant: "ada1", Exercise: "exercise6", Raised: true}
	r := roomOf(created, joined, joined, Event{Kind: Joined, Participant: "ada2", Name: "ADA"}, raised)
	r.Apply(2, Event{Kind: Joined, Participant: "eve1", Name: "Eve"})
	if len(r.Participants) != 2 || r.Participants["ada2"].Name != "ADA (2)" || r.Sequence != 5 {
		t.Errorf("%d participants, %q, sequence %d", len(r.Participants), r.Participants["ada2"].Name, r.Sequence)
	}
}

// TestReports reports the checks of two submissions in turn. None is another attempt, and each is counted.
func TestReports(t *testing.T) {
	events := []Event{created, joined}
	for _, id := range []string{"a", "b"} {
		e := submitted(id, false)
		e.Check = id
		events = append(events, e)
	}
	for range 5 {
		for _, id := range []string{"a", "b"} {
			events = append(events, Event{Kind: Checked, Participant: "ada1", Exercise: "exercise6", Check: id})
		}
	}
	if w := roomOf(events...).Participants["ada1"].Work["exercise6"]; w.Attempts != 2 || w.Reports != 10 {
		t.Errorf("%d attempts, %d reports", w.Attempts, w.Reports)
	}
}

// TestRenumbered tests that events from before the exercises were renumbered are applied with today's IDs, among events
// of today, and that the room says so. Each of exercise24, exercise3 and exercise40 is another exercise's ID now.
func TestRenumbered(t *testing.T) {
	r := New("K7M2QX")
	for i, e := range []Event{
		{Kind: Created, Exercises: []string{"exercise24", "exercise3", "exercise1"}},
		{Kind: Joined, Participant: "ada1", Name: "Ada"},
		{Kind: Checked, Participant: "ada1", Exercise: "exercise24", Progress: &Progress{Hints: 2}},
		{Kind: Submitted, Participant: "ada1", Exercise: "exercise3", Submission: "a"},
		{Kind: Closed, Exercise: "exercise1"},
		{Kind: Closed, Exercise: "exercise40", Numbering: Numbering},
		{Kind: Hand, Participant: "ada1", Exercise: "exercise3", Raised: true, Numbering: Numbering},
	} {
		if twice := e.Renumbered().Renumbered(); twice.Exercise != e.Renumbered().Exercise {
			t.Errorf("%s at %s is at %s the second time", e.Kind, e.Renumbered().Exercise, twice.Exercise)
		}
		r.Apply(uint64(i+1), e)
	}
	ada := r.Participants["ada1"]
	if !slices.Equal(r.Exercises, []string{"exercise3", "exercise40", "exercise6"}) || !r.Renumbered ||
		!r.Closed["exercise6"] || !r.Closed["exercise40"] || len(r.Closed) != 2 || ada.Hand != "exercise3" ||
		ada.Work["exercise3"].Hints != 2 || ada.Work["exercise40"].Last() != "a" || len(ada.Work) != 2 ||
		r.Submissions["a"].Exercise != "exercise40" {
		t.Errorf("%+v, %+v, %+v", r, ada, r.Submissions["a"])
	}
	if roomOf(created, joined).Renumbered {
		t.Error("a room of today is called renumbered")
	}
}

// TestPresent tests the order of the grid: raised hands first, the longest first.
func TestPresent(t *testing.T) {
	join := func(id, name string) Event { return Event{Kind: Joined, Participant: id, Name: name} }
	hand := func(id string, raised bool) Event {
		return Event{Kind: Hand, Participant: id, Exercise: "exercise6", Raised: raised}
	}
	r := roomOf(created, join("1", "zoe"), join("2", "Bob"), join("3", "ada"), join("4", "Eve"), join("5", "Tim"),
		hand("1", true), hand("4", true), hand("2", true), hand("2", false), Event{Kind: Removed, Participant: "5"})
	var names []string
	for _, p := range r.Present() {
		names = append(names, p.Name)
	}
	if want := []string{"zoe", "Eve", "ada", "Bob"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "  Ada\t\n Lovelace ": "Ada Lovelace", "<b>Ada</b>": "<b>Ada</b>",
		"\u202eadA": "adA", "A\u200bda": "Ada", "עדה": "עדה", "Zoë": "Zoë", "\u0301": "", "": "", " \u00a0": "",
		"\x1b[31mAda": "[31mAda", strings.Repeat("ä", 60): strings.Repeat("ä", 60), strings.Repeat("ä", 61): "",
		"a\xff": "", "\u3164": "", "\u2800": "", "\u115f\u1160": "", "\uffa0\u3164": "", "\u034f": "", "\ufe0f": "",
		"\u200d": "", "\u180e": "", "\U000e0100": "", "\U0001d159": "", "\u2065": "", "\u0301\u0308": "",
		"Ada\u3164": "Ada", "\u2800Ada\u2800 Lovelace": "Ada Lovelace", "김": "김", "⠁": "⠁",
		"👩\u200d💻": "👩\u200d💻",
	} {
		if got := CleanName(name, MaxName); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestCodes(t *testing.T) {
	code := NewCode()
	if !ValidCode(code) || Normalize(strings.ToLower(code[:3])+" - "+code[3:]) != code {
		t.Errorf("%q", code)
	}
	for _, wrong := range []string{"", "K7M2Q", "K7M2QXX", "K7M2Q0", "k7m2qx", "K7M2Qé"} {
		if ValidCode(wrong) {
			t.Errorf("%q is taken for a code", wrong)
		}
	}
	token := NewToken()
	if !Matches(Hash(token), token) || Matches(Hash(token), NewToken()) || Matches(nil, "") {
		t.Error("tokens are compared wrongly")
	}
	if SubmissionID("A", "p", "k") != SubmissionID("A", "p", "k") ||
		SubmissionID("A", "p", "k") == SubmissionID("A", "q", "k") {
		t.Error("the same key has to give the same ID, for each participant another one")
	}
}

// TestPlainCell tests that no spreadsheet takes a name for a formula, whatever stands before the sign.
func TestPlainCell(t *testing.T) {
	for _, name := range []string{"=1", "+1", "-1", "@a", "\r=1", "＝1", "＋1", "－1", "＠a",
		"\u200d=1", "\u200d＝1", "\ufeff=1", "\u00a0=1", "\u0301=1", "\u3164=1", "\u2800=1", "﹦1", "﹢1", "﹣1", "﹫a", "−1",
		"⁼1", "\"=1", "'=1", "(=1", "|a", "%a"} {
		if got := plainCell(name); got != "'"+name {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	for name, want := range map[string]string{"x;=1+1;y": "x,=1+1,y", "Eve;;;1": "Eve,,,1", "x\t=1": "x =1", "\t=1": "' =1",
		";=1": "',=1"} {
		if got := plainCell(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"", "Ada", "Zoë-Marie", "עדה", "김", "7up", "ada = eve"} {
		if got := plainCell(name); got != name {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

// TestGradebook tests the exports with names that a spreadsheet or a file system would misread.
func TestGradebook(t *testing.T) {
	r := roomOf(created, joined, Event{Kind: Joined, Participant: "eve1", Name: "=HYPERLINK(\"x\")/../..",
		Identifier: "@eve"},
		submitted("aaaaaaaa", true), graded("aaaaaaaa", 0, 1))
	var text bytes.Buffer
	if err := WriteCSV(&text, r.Gradebook()); err != nil {
		t.Fatal(err)
	}
	const want = `name,participant,exercise,score,passed,provisional,late,attempts,submitted,removed,identifier
"'=HYPERLINK(""x"")/../..",eve1,exercise6,0,false,false,false,0,,false,'@eve
Ada,ada1,exercise6,1,true,false,true,1,2026-11-23T12:03:00Z,false,
`
	if text.String() != mark+want {
		t.Errorf("got\n%s", &text)
	}
	var archive bytes.Buffer
	files := func(id string) (map[string]string, error) { return map[string]string{"../" + id: "package p\n"}, nil }
	out := zip.NewWriter(&archive)
	add := func(name string, _ time.Time) (io.Writer, error) { return out.Create(name) }
	if err := errors.Join(WriteArchive(add, r, files), out.Close()); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "Ada-ada1/exercise6/2026-11-23T12-03-00Z-aaaaaa-counts/_aaaaaaaa" {
		t.Errorf("%v, %+v", err, z.File)
	}
}

// FuzzCleanName tests that no name upsets a table: what is left can be shown, and cleaning it again changes nothing.
func FuzzCleanName(f *testing.F) {
	for _, name := range []string{"Ada", "\u202eadA", "a\x00b", "👩\u200d💻", "עדה"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean := CleanName(name, MaxName)
		if strings.ContainsFunc(clean, unicode.IsControl) ||
			strings.ContainsAny(clean, "\u202a\u202b\u202d\u202e\u2066\u2067\u2068") ||
			utf8.RuneCountInString(clean) > MaxName || CleanName(clean, MaxName) != clean {
			t.Errorf("%q becomes %q", name, clean)
		}
		if fileName(name) == "" || strings.ContainsAny(fileName(name), "/\\\x00") {
			t.Errorf("the file name is %q", fileName(name))
		}
	})
}
