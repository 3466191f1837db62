package metrics

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/store"
)

// TestRooms finds the figures of a room with a submission that waits and one that could not be graded.
func TestRooms(t *testing.T) {
	in, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	journal, err := in.Journal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	rooms := roomhttp.New(roomhttp.Options{Journal: journal, Instructor: "TEACHERTEACHER22",
		Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { rooms.Run(ctx) })
	defer running.Wait()
	defer stop()
	submitted := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6"}
	waits, fails := submitted, submitted
	waits.Submission, fails.Submission = "waits", "fails"
	for i, e := range []room.Event{
		{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}},
		{Kind: room.Joined, Participant: "p1", Name: "Ada"},
		{Kind: room.Joined, Participant: "p2", Name: "Bob"},
		waits, fails,
		{Kind: room.Failed, Submission: "fails", Why: "the compiler is gone"},
	} {
		e.Time = now.Add(-10 * time.Minute)
		if _, err := journal.Append(t.Context(), "K7M2QX", string(rune('a'+i)), store.Record{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(time.Minute); rooms.Stats().Failed == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the events are not applied: %+v", rooms.Stats())
		}
	}
	m := New("go1.26.8", nil)
	m.Rooms(rooms)
	text := shown(m)
	for _, line := range []string{
		"runner_rooms_open 1", "runner_rooms_participants 2", "runner_rooms_queued 1", "runner_rooms_failed 1",
		"runner_rooms_oldest_queued_seconds 600", "runner_rooms_read_only 0",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("there is no %q", line)
		}
	}
	if !strings.Contains(text, "\nrunner_rooms_bytes ") || strings.Contains(text, "\nrunner_rooms_bytes -1") ||
		strings.Contains(text, "\nrunner_rooms_bytes 0") {
		t.Errorf("the size of the rooms is not shown in\n%s", text)
	}
}
