package room

import (
	"testing"
	"time"
)

// TestProjected applies events about what is projected. Only rooms whose instructor sees code project any.
func TestProjected(t *testing.T) {
	seeing := created
	seeing.SeesCode = true
	projected := Event{Kind: Projected, Participant: "ada1", Exercise: "exercise6", Code: "c1"}
	for _, c := range []struct {
		name   string
		events []Event
		want   bool
	}{
		{"projected", []Event{seeing, joined, projected}, true},
		{"of a stranger", []Event{seeing, projected}, false},
		{"in a room that sees no code", []Event{created, joined, projected}, false},
		{"put away", []Event{seeing, joined, projected, {Kind: Unprojected}}, false},
		{"its participant is removed", []Event{seeing, joined, projected, {Kind: Removed, Participant: "ada1"}}, false},
		{"another participant is removed", []Event{seeing, joined, {Kind: Joined, Participant: "bob1", Name: "Bob"},
			projected, {Kind: Removed, Participant: "bob1"}}, true},
		{"its participant's row is merged, and removed", []Event{seeing, joined, projected,
			{Kind: Joined, Participant: "ada2", Name: "Ada"}, {Kind: Merged, Participant: "ada1", Into: "ada2"},
			{Kind: Removed, Participant: "ada2"}}, false},
		{"the room ends", []Event{seeing, joined, projected, {Kind: Ended}}, false},
		{"the room is open again", []Event{seeing, joined, projected, {Kind: Ended}, {Kind: Reopened}}, false},
		{"after the end", []Event{seeing, joined, {Kind: Ended}, projected}, false},
	} {
		r := roomOf(c.events...)
		if got := r.Projected; (got != nil) != c.want || got != nil && *got != (Code{"c1", "ada1", "exercise6"}) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestCode applies checks with and without code: what the instructor sees is the last code that was sent.
func TestCode(t *testing.T) {
	check := func(code string) Event {
		return Event{Kind: Checked, Participant: "ada1", Exercise: "exercise6", Code: code, Progress: &Progress{}}
	}
	r := roomOf(created, joined, check("c1"), check("c2"), check(""))
	if got := r.Participants["ada1"].Work["exercise6"].Code; got != "c2" {
		t.Errorf("the code is %q", got)
	}
}

func TestMessaged(t *testing.T) {
	until := noon.Add(time.Hour)
	events := []Event{created, {Kind: Messaged, Text: "Tea", Until: until}, {Kind: Messaged, Text: "Back"},
		{Kind: Messaged}}
	for i, want := range []*Message{nil, {"Tea", noon.Add(time.Minute), until},
		{"Back", noon.Add(2 * time.Minute), time.Time{}}, nil} {
		got := roomOf(events[:i+1]...).Message
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("after %d events: %+v, want %+v", i+1, got, want)
		}
	}
}
