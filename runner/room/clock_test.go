package room

import (
	"fmt"
	"testing"
	"time"
)

// TestClock applies events of a server whose clock jumps ahead and is set back, and of two servers whose clocks differ
// a little. Times never go back from one event to the next, and no time is left in the future of the last event.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []time.Duration // of the events after joining, after noon
		want  []time.Duration // of the submissions at the end
	}{
		{"a clock that goes", []time.Duration{1, 2, 3}, []time.Duration{1, 2, 3}},
		{"two servers", []time.Duration{30 * time.Second, 10 * time.Second, 50 * time.Second},
			[]time.Duration{30 * time.Second, 30 * time.Second, 50 * time.Second}},
		{"a day ahead and back", []time.Duration{time.Hour, 25 * time.Hour, 2 * time.Hour, 3 * time.Hour},
			[]time.Duration{time.Hour, 2 * time.Hour, 2 * time.Hour, 3 * time.Hour}},
		{"set back to before the room", []time.Duration{time.Hour, -time.Hour, time.Minute},
			[]time.Duration{-time.Hour, -time.Hour, time.Minute}},
	} {
		deadline := noon.Add(90 * time.Minute)
		events := []Event{created, {Kind: Due, Deadline: deadline}, joined}
		for i := range events {
			events[i].Time = noon
		}
		for i, at := range c.times {
			e := submitted(fmt.Sprint("s", i), false)
			e.Time = noon.Add(at)
			events = append(events, e)
		}
		r := roomOf(events...)
		for i, s := range r.ByParticipant("ada1", "exercise6") {
			if got := s.Time.Sub(noon); got != c.want[i] {
				t.Errorf("%s: submission %d is of %v after noon, want %v", c.name, i, got, c.want[i])
			}
		}
		ada := r.Participants["ada1"]
		last := noon.Add(c.times[len(c.times)-1])
		if !r.Time.Equal(last) || ada.Joined.After(last) || ada.Work["exercise6"].Changed.After(last) {
			t.Errorf("%s: the time is %v, with %v and %v", c.name, r.Time, ada.Joined, ada.Work["exercise6"].Changed)
		}
		if !r.Deadline.Equal(deadline) {
			t.Errorf("%s: the deadline is %v", c.name, r.Deadline)
		}
	}
}
