package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"onthestack/runner/room"
)

func open(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return j
}

func appendAll(t *testing.T, j *Journal, code string, events ...room.Event) {
	t.Helper()
	for i, e := range events {
		if _, err := j.Append(t.Context(), code, fmt.Sprint(i), Record{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
}

// follow returns the rooms as they are once f reports true of them.
func follow(t *testing.T, j *Journal, f func(map[string]*room.Room) bool) map[string]*room.Room {
	t.Helper()
	rooms := map[string]*room.Room{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reached := errors.New("reached")
	ctx, stop := context.WithCancelCause(ctx)
	check := func() {
		if f(rooms) {
			stop(reached)
		}
	}
	j.Follow(ctx, func(code string, sequence uint64, e room.Event) {
		if rooms[code] == nil {
			rooms[code] = room.New(code)
		}
		rooms[code].Apply(sequence, e)
		check()
	}, check)
	if context.Cause(ctx) != reached {
		t.Fatalf("the state was not reached: %v", context.Cause(ctx))
	}
	return rooms
}

var lesson = []room.Event{
	{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise1"}},
	{Kind: room.Joined, Participant: "p1", Name: "Ada"},
	{Kind: room.Submitted, Participant: "p1", Exercise: "exercise1", Submission: "s1"},
}

// TestRestart tests that a journal that was closed has every event, once, when it is opened again.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	appendAll(t, j, "K7M2QX", lesson...)
	j.Close()
	j = open(t, dir)
	appendAll(t, j, "K7M2QX", lesson...) // repeated requests
	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		return rooms["K7M2QX"] != nil && rooms["K7M2QX"].Submissions["s1"] != nil
	})
	if r := rooms["K7M2QX"]; r.Title != "Monday" || r.Participants["p1"].Name != "Ada" || r.Sequence != 3 {
		t.Errorf("%+v", r)
	}
}

// TestGradeOnce tests that several workers grade each submission once, and that a fault of theirs is retried.
func TestGradeOnce(t *testing.T) {
	j := open(t, t.TempDir())
	const submissions = 20
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	for i := range submissions {
		id := fmt.Sprintf("s%d", i)
		e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise1", Submission: id}
		if _, err := j.Append(t.Context(), "K7M2QX", id, Record{Event: e, Files: map[string]string{"a.go": id}}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	graded := map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			j.Grade(ctx, func(_ context.Context, task Task) (Graded, error) {
				mu.Lock()
				defer mu.Unlock()
				graded[task.Submission]++
				switch {
				case task.Files["a.go"] != task.Submission:
					return Graded{}, errors.New("other files")
				case task.Submission == "s3" && graded["s3"] == 1:
					return Graded{}, errors.New("the disk is full")
				case task.Submission == "s4":
					return Graded{}, errors.New("the compiler is missing")
				}
				return Graded{Verdict: []byte(`{}`), Grade: room.Grade{Pass: true, Score: 1}}, nil
			})
		})
	}
	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		r := rooms["K7M2QX"]
		if r == nil || len(r.Submissions) < submissions {
			return false
		}
		for _, s := range r.Submissions {
			if s.State == room.StateQueued {
				return false
			}
		}
		return true
	})
	cancel()
	workers.Wait()
	for id, s := range rooms["K7M2QX"].Submissions {
		want, times := room.StateGraded, 1
		switch id {
		case "s3":
			times = 2
		case "s4":
			want, times = room.StateFailed, maxDeliver
		}
		if s.State != want || graded[id] != times {
			t.Errorf("%s: %s after %d times, want %s after %d", id, s.State, graded[id], want, times)
		}
	}
}
