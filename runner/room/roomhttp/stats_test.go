package roomhttp

import (
	"testing"
	"time"

	"onthestack/runner/room"
)

// TestStats counts open rooms, and what waits in all of them.
func TestStats(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := New(Options{Now: func() time.Time { return now }})
	sequence := uint64(0)
	apply := func(code string, events ...room.Event) {
		for _, e := range events {
			sequence++
			e.Numbering = room.Numbering
			if e.Time.IsZero() {
				e.Time = now.Add(-time.Hour)
			}
			s.apply(code, sequence, e)
		}
	}
	created := room.Event{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}}
	joined := room.Event{Kind: room.Joined, Participant: "p", Name: "Ada"}
	submitted := func(id string, ago time.Duration) room.Event {
		return room.Event{Kind: room.Submitted, Participant: "p", Exercise: "exercise6", Submission: id,
			Time: now.Add(-ago)}
	}
	apply("AAAAAA", created, joined, submitted("a", 20*time.Minute), submitted("b", 10*time.Minute),
		room.Event{Kind: room.Failed, Submission: "a", Time: now.Add(-9 * time.Minute)})
	apply("BBBBBB", created, joined, room.Event{Kind: room.Ended})
	apply("CCCCCC", created, room.Event{Kind: room.Deleted})
	want := Stats{Open: 1, Participants: 1, Queued: 1, Failed: 1, Oldest: 10 * time.Minute}
	if got := s.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	apply("AAAAAA", room.Event{Kind: room.Regraded, Submission: "a", Regrade: 1, Time: now.Add(-time.Minute)})
	want.Queued, want.Failed = 2, 0
	if got := s.Stats(); got != want {
		t.Errorf("graded again: %+v, want %+v", got, want)
	}
}
