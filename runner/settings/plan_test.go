package settings

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestPlan reads the settings of the room that is open after the start.
func TestPlan(t *testing.T) {
	halfDay := []string{"exercise6", "exercise7"}
	for _, c := range []struct {
		args           string
		env            map[string]string
		title, mistake string
		exercises      []string
	}{
		{title: "Workshop"},
		{args: "--room-plan half-day", title: "Half a day", exercises: halfDay},
		{args: "--room-plan half-day --room-title Monday", title: "Monday", exercises: halfDay},
		{args: "--room-plan half-day --room-title=", title: "", exercises: halfDay},
		{env: map[string]string{"RUNNER_ROOM_PLAN": "half-day", "RUNNER_ROOM_TITLE": ""}, title: "Half a day",
			exercises: halfDay},
		{env: map[string]string{"RUNNER_ROOM_PLAN": "half-day", "RUNNER_ROOM_TITLE": "Monday"}, title: "Monday",
			exercises: halfDay},
		{args: "--room-plan week", mistake: "--room-plan week: give half-day or full-day"},
		{env: map[string]string{"RUNNER_ROOM_PLAN": "../room"},
			mistake: "RUNNER_ROOM_PLAN=../room in the environment: give half-day or full-day"},
		{args: "--room-continue maybe", mistake: "--room-continue maybe: give on or off"},
	} {
		lookup := func(name string) (string, bool) { value, ok := c.env[name]; return value, ok }
		s, err := OneFileRoom.Parse(strings.Fields(c.args), lookup, io.Discard)
		switch {
		case c.mistake != "":
			if err == nil || err.Error() != c.mistake {
				t.Errorf("%s %v: %v, want %q", c.args, c.env, err, c.mistake)
			}
		case err != nil || s.Title != c.title || !slices.Equal(s.Exercises, c.exercises) || s.Continue:
			t.Errorf("%s %v: %v: %q, %q, %v", c.args, c.env, err, s.Title, s.Exercises, s.Continue)
		}
	}
}
