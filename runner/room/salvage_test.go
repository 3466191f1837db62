package room

import (
	"slices"
	"testing"
)

// TestSalvage applies the events of a room whose first one is lost. It has its participants, with their grades.
func TestSalvage(t *testing.T) {
	events := []Event{joined, {Kind: Hand, Participant: "ada1", Exercise: "exercise8", Raised: true}, submitted("a", false),
		graded("a", 0, 1)}
	r := roomOf(events...)
	if !r.Exists() || r.Title != "K7M2QX" || !slices.Equal(r.Exercises, []string{"exercise8", "exercise6"}) ||
		!slices.Equal(standings(r), []string{"Ada exercise8 0 ", "Ada exercise6 1 a"}) {
		t.Errorf("%q, exercises %q, grades %q", r.Title, r.Exercises, standings(r))
	}
	r = roomOf(append(events, Event{Kind: Retitled, Title: "Monday"},
		Event{Kind: Assigned, Exercises: []string{"exercise6", "exercise7"}}, Event{Kind: Closed, Exercise: "exercise8"})...)
	if r.Title != "Monday" || !slices.Equal(r.Exercises, []string{"exercise6", "exercise7"}) {
		t.Errorf("put right, it is %q with %q", r.Title, r.Exercises)
	}
}

// TestExists tests that a deleted room does not come back by what its participants still send.
func TestExists(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []Event
		want   bool
	}{
		{"no event", nil, false},
		{"created", []Event{created}, true},
		{"somebody joined a room whose first event is lost", []Event{joined}, true},
		{"of a room of which nothing but a grade is left", []Event{graded("a", 0, 1)}, false},
		{"deleted", []Event{created, joined, {Kind: Deleted}}, false},
		{"joined after that", []Event{created, {Kind: Deleted}, joined, submitted("a", false)}, false},
		{"created anew", []Event{created, {Kind: Deleted}, created}, true},
	} {
		if got := roomOf(c.events...).Exists(); got != c.want {
			t.Errorf("%s: it exists: %t", c.name, got)
		}
	}
}
