package roomhttp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/store"
)

// A starting is a class whose server is started again, with a clock that the test sets.
type starting struct {
	class
	now time.Time
}

func newStarting(t *testing.T) *starting {
	s := &starting{now: time.Date(2026, time.November, 30, 9, 0, 0, 0, time.UTC)}
	s.class, _ = startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) {
		o.Now = func() time.Time { return s.now }
	})
	return s
}

// find returns the room that the server goes on with; its Code is "" if there is none.
func (s *starting) find(l Lesson) Start {
	s.t.Helper()
	found, ok, err := s.server.Find(s.t.Context(), l)
	if err != nil || ok != (found.Code != "") {
		s.t.Fatalf("%v, %v, %v", found, ok, err)
	}
	return found
}

func (s *starting) openNew(l Lesson) Start {
	s.t.Helper()
	opened, err := s.server.OpenNew(s.t.Context(), l)
	if err != nil {
		s.t.Fatal(err)
	}
	return opened
}

// TestGoOn tests with which room a server goes on that is started again.
func TestGoOn(t *testing.T) {
	s := newStarting(t)
	workshop := Lesson{Title: " Workshop "}
	if found := s.find(workshop); found.Code != "" {
		t.Errorf("before the first room it found %+v", found)
	}
	first := s.openNew(workshop)
	if first.Title != "Workshop" || !slices.Equal(first.Exercises, []string{"exercise6", "exercise7"}) {
		t.Errorf("opened %+v", first)
	}
	s.openNew(Lesson{Title: "Monday"})

	// Nobody has joined: it is the room of the evening before, however long ago that was.
	s.now = s.now.Add(30 * 24 * time.Hour)
	if found := s.find(workshop); found.Code != first.Code || found.Left {
		t.Errorf("of the room that nobody joined: %+v", found)
	}
	// In the middle of a class, and at its end, the server goes on with the room.
	s.join(first.Code, "Ada")
	began := s.now
	s.now = s.now.Add(12 * time.Hour)
	if found := s.find(workshop); found.Code != first.Code || found.Left || found.Participants != 1 ||
		!found.Changed.Equal(began) {
		t.Errorf("during the class: %+v", found)
	}
	// A clock that was set back does not end the class.
	s.now = began.Add(-time.Hour)
	if found := s.find(workshop); found.Code != first.Code || found.Left {
		t.Errorf("with a clock that was set back: %+v", found)
	}
	s.now = began.Add(12*time.Hour + time.Second)
	if found := s.find(workshop); found.Code != first.Code || !found.Left {
		t.Errorf("after the class: %+v", found)
	}

	// The next room has a number, and is the one to go on with, even if somebody hands in late in the first.
	second := s.openNew(workshop)
	if second.Title != "Workshop (2)" || second.Code == first.Code {
		t.Errorf("opened %+v", second)
	}
	s.join(first.Code, "Ben")
	if found := s.find(workshop); found.Code != second.Code || found.Left {
		t.Errorf("of two rooms: %+v", found)
	}
	s.do(200, "PATCH", "/api/rooms/"+second.Code, instructor, `{"end":true}`)
	if found := s.find(workshop); found.Code != first.Code {
		t.Errorf("after the end of the second: %+v", found)
	}
	if third := s.openNew(workshop); third.Title != "Workshop (3)" {
		t.Errorf("opened %+v", third)
	}
	if _, _, err := s.server.Find(t.Context(), Lesson{Title: " \u200b"}); err == nil {
		t.Error("a room without a title is found")
	}
}

// TestGoOnAfterAPreview tests that the instructor who tried the room the evening before did not join it: in the morning
// the server goes on with the room whose code is printed already, and does not take it for the room of another plan.
func TestGoOnAfterAPreview(t *testing.T) {
	s := newStarting(t)
	workshop := Lesson{Title: "Workshop"}
	opened := s.openNew(workshop)
	s.do(201, "POST", "/api/rooms/"+opened.Code+"/preview", instructor, "")
	s.now = s.now.Add(14 * time.Hour)
	if found := s.find(workshop); found.Code != opened.Code || found.Left {
		t.Errorf("after a preview: %+v", found)
	}
	if found := s.find(Lesson{Title: "Workshop", Exercises: []string{"exercise7"}}); found.Code != "" {
		t.Errorf("with other exercises it found %+v", found)
	}
}

// TestGoOnWithAPlan tests that a room which nobody joined is not taken for the room of another plan.
func TestGoOnWithAPlan(t *testing.T) {
	s := newStarting(t)
	plan := Lesson{Title: "Half a day", Exercises: []string{"exercise7"}}
	all := s.openNew(Lesson{Title: "Half a day"})
	if found := s.find(plan); found.Code != "" {
		t.Errorf("with other exercises it found %+v", found)
	}
	opened := s.openNew(plan)
	if opened.Title != "Half a day (2)" || !slices.Equal(opened.Exercises, plan.Exercises) {
		t.Errorf("opened %+v", opened)
	}
	if found := s.find(plan); found.Code != opened.Code || !slices.Equal(found.Exercises, plan.Exercises) {
		t.Errorf("the room of the plan: %+v", found)
	}
	// A class that is under way is not interrupted.
	s.do(200, "PATCH", "/api/rooms/"+opened.Code, instructor, `{"end":true}`)
	s.join(all.Code, "Ada")
	if found := s.find(plan); found.Code != all.Code {
		t.Errorf("during a class: %+v", found)
	}
}

// TestGoOnSeeingCode tests that an empty room is found only if its instructor sees the code of checks as the lesson
// says, and that a class which is under way keeps what its participants were told.
func TestGoOnSeeingCode(t *testing.T) {
	s := newStarting(t)
	plain, seeing := Lesson{Title: "Workshop"}, Lesson{Title: "Workshop", SeesCode: true}
	first := s.openNew(plain)
	if found := s.find(seeing); found.Code != "" {
		t.Errorf("of a room without the code it found %+v", found)
	}
	second := s.openNew(seeing)
	if found := s.find(seeing); found.Code != second.Code || !found.SeesCode || !second.SeesCode {
		t.Errorf("of both rooms: %+v", found)
	}
	if found := s.find(plain); found.Code != first.Code || found.SeesCode {
		t.Errorf("of both rooms, without the code: %+v", found)
	}
	s.join(second.Code, "Ada")
	if found := s.find(plain); found.Code != second.Code || !found.SeesCode {
		t.Errorf("during a class: %+v", found)
	}
}

// TestTitleOf tests that the numbers of titles can be read again, also where a title is as long as it may be.
func TestTitleOf(t *testing.T) {
	for _, title := range []string{"Workshop", "Monday (2)", strings.Repeat("ä", room.MaxTitle)} {
		for _, n := range []int{1, 2, 3, 11, room.MaxRooms} {
			got := titleOf(title, n)
			if numberOf(got, title) != n || room.CleanName(got, room.MaxTitle) != got {
				t.Errorf("%q is number %d of %q, want %d", got, numberOf(got, title), title, n)
			}
		}
	}
	for _, other := range []string{"", "Work", "Workshop 2", "Workshop (1)", "Workshop (x)", "Workshop (02)",
		"Workshop (2", "Workshop (2) (2)", "Monday (2)"} {
		if n := numberOf(other, "Workshop"); n != 0 {
			t.Errorf("%q is number %d of Workshop", other, n)
		}
	}
}
