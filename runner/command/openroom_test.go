package command

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
)

// TestGoesOn answers the question about a room that a class has left.
func TestGoesOn(t *testing.T) {
	const people = `There is a room "Workshop" with 12 participants, last changed on 30 October 2026 at 16:40.`
	const question = `Type "on" to continue with this room, or "new" to open a new one`
	const hint = "To continue with it, start with make room CONTINUE=on, or with --room-continue on.\n"
	for _, c := range []struct {
		left, always, person bool
		typed                string
		want                 bool
		shown                string // "" for nothing
		asked                int
	}{
		{left: false, person: true, want: true},
		{left: false, want: true},
		{left: true, always: true, person: true, want: true},
		{left: true, always: true, want: true},
		{left: true, want: false, shown: hint},
		{left: true, person: true, typed: "\n", want: false, shown: people, asked: 1},
		{left: true, person: true, typed: "new\n", want: false, shown: people, asked: 1},
		{left: true, person: true, typed: " ON \n", want: true, shown: people, asked: 1},
		{left: true, person: true, typed: "go on\n", want: true, shown: people, asked: 1},
		{left: true, person: true, typed: "what?\n\"on\"\n", want: true, shown: people, asked: 2},
		{left: true, person: true, typed: "a\nb\nc\non\n", want: false, shown: people, asked: 3},
		{left: true, person: true, typed: "", want: false, shown: people, asked: 1},
	} {
		var out strings.Builder
		found := roomhttp.Start{Title: "Workshop", Participants: 12, Left: c.left,
			Changed: time.Date(2026, time.October, 30, 16, 40, 0, 0, time.Local)}
		got := goesOn(t.Context(), found, settings.Settings{Continue: c.always},
			terminal{strings.NewReader(c.typed), &out, c.person})
		if got != c.want || (c.shown == "") != (out.Len() == 0) || !strings.Contains(out.String(), c.shown) ||
			strings.Count(out.String(), question) != c.asked {
			t.Errorf("%+v: %v, %q", c, got, &out)
		}
	}
}

// TestAskStops tests that a server which stops does not wait for an answer.
func TestAskStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, _ := io.Pipe() // on which nobody writes
	stop()
	if ask(ctx, terminal{in, io.Discard, true}) {
		t.Error("it goes on")
	}
}

// TestSeesCodeWords tests that the terminal says so if a room does not do what --room-sees-code asks for.
func TestSeesCodeWords(t *testing.T) {
	for _, c := range []struct {
		sees, asked bool
		want        string
	}{
		{false, false, ""},
		{true, true, "You see the code of each participant's last check, and they"},
		{true, false, "You see the code of each participant's last check: the room was opened with"},
		{false, true, "You do not see the code of checks"},
	} {
		if got := seesCodeWords(c.sees, c.asked); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestRoomWords(t *testing.T) {
	all := []string{"exercise1", "exercise2", "exercise7"}
	for want, exercises := range map[string][]string{
		"all 3 exercises": all, "exercise 7": {"exercise7"}, "exercises 7 and 1": {"exercise7", "exercise1"},
	} {
		if got := exercisesWords(exercises, all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.Local)
	for want, r := range map[string]roomhttp.Start{
		"no participants, last changed today at 09:05": {Changed: now.Add(-2*time.Hour - 55*time.Minute)},
		"1 participant, last changed on 29 November 2026 at 12:00": {Participants: 1,
			Changed: now.AddDate(0, 0, -1)},
	} {
		if got := peopleWords(r, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
