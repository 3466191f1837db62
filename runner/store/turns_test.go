package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"onthestack/runner/room"
)

// handIn stores a submission of a participant.
func handIn(t *testing.T, j *Journal, participant, id string) {
	t.Helper()
	e := room.Event{Kind: room.Submitted, Participant: participant, Exercise: "exercise6", Submission: id}
	if _, err := j.Append(t.Context(), "K7M2QX", id, Record{Event: e}); err != nil {
		t.Fatal(err)
	}
}

// TestTurns has submissions of some participants take for ever. Another participant's is graded all the same, and each
// of theirs has at most one under way.
func TestTurns(t *testing.T) {
	for name, c := range map[string]struct{ slow, atOnce int }{"one of two": {1, 2}, "seven of eight": {7, 8},
		"thirty, with five each": {30, 31}} {
		t.Run(name, func(t *testing.T) {
			j := openJournal(t, t.TempDir())
			appendAll(t, j, "K7M2QX", lesson[0])
			for p := range c.slow {
				for i := range 5 {
					handIn(t, j, fmt.Sprint("slow", p), fmt.Sprintf("s%d-%d", p, i))
				}
			}
			handIn(t, j, "quick", "q")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var mu sync.Mutex
			begun := map[string]int{}
			graded := ""
			j.Grade(ctx, c.atOnce, func(ctx context.Context, task Task) (Graded, error) {
				mu.Lock()
				begun[task.Participant]++
				mu.Unlock()
				if task.Participant != "quick" {
					<-ctx.Done()
					return Graded{}, ctx.Err()
				}
				graded = task.Submission
				cancel()
				return Graded{Verdict: json.RawMessage("{}")}, nil
			})
			if graded != "q" {
				t.Error("the quick submission was not graded")
			}
			for name, n := range begun {
				if n > 1 {
					t.Errorf("%d submissions of %s were under way", n, name)
				}
			}
		})
	}
}

// TestTurnsOrder grades for one participant at a time: they take turns, whoever handed in first.
func TestTurnsOrder(t *testing.T) {
	var order []string
	begin := make(chan struct{})
	q := newTurns(1, func(task *taken) {
		<-begin
		order = append(order, task.task.Submission)
	})
	for i, id := range []string{"a1", "a2", "a3", "b1", "b2", "c1"} {
		task := Task{Record: Record{Event: room.Event{Participant: id[:1], Submission: id}}}
		added := q.add(&taken{sequence: uint64(i), task: task, done: func() {}})
		again := q.add(&taken{sequence: uint64(i), task: task, done: func() {}})
		if !added || again {
			t.Errorf("%s is added: %t, and a second time: %t", id, added, again)
		}
	}
	close(begin)
	q.wait()
	if got := strings.Join(order, " "); got != "a1 b1 c1 a2 b2 a3" {
		t.Errorf("graded in the order %s", got)
	}
}

// TestTurnsOfMany has as many participants as are graded at the same time hand in more than once. Another participant's
// submission is taken all the same, and is graded while they still have others.
func TestTurnsOfMany(t *testing.T) {
	const atOnce = 2
	j := openJournal(t, t.TempDir())
	appendAll(t, j, "K7M2QX", lesson[0])
	for p := range atOnce {
		for i := range 5 {
			handIn(t, j, fmt.Sprint("slow", p), fmt.Sprintf("s%d-%d", p, i))
		}
	}
	handIn(t, j, "quick", "q")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	allTaken := func() bool {
		consumer, err := j.stream.Consumer(ctx, graders)
		return err == nil && consumer.CachedInfo().NumPending == 0
	}
	var mu sync.Mutex
	var begun []string
	j.Grade(ctx, atOnce, func(ctx context.Context, task Task) (Graded, error) {
		mu.Lock()
		begun = append(begun, task.Participant)
		mu.Unlock()
		if task.Participant == "quick" {
			cancel()
		}
		for !allTaken() && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		return Graded{Verdict: json.RawMessage("{}")}, ctx.Err()
	})
	// What the server has delivered is here a moment later, when the first ones have already ended.
	if i := slices.Index(begun, "quick"); i < 0 || i > 3*atOnce {
		t.Errorf("the submissions are graded in the order %v", begun)
	}
}

// TestTurnsOvertime has many participants hand in what takes very long. Another one waits for overtime at most, and the
// number of gradings is bounded.
func TestTurnsOvertime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const atOnce, long = 2, time.Hour
		began := time.Now()
		graded := map[string]time.Duration{} // since the beginning, by submission
		var mu sync.Mutex
		q := newTurns(atOnce, func(task *taken) {
			mu.Lock()
			graded[task.task.Submission] = time.Since(began)
			mu.Unlock()
			time.Sleep(long)
		})
		q.alone = true
		add := func(n int) {
			id := fmt.Sprint("s", n)
			task := Task{Record: Record{Event: room.Event{Participant: id, Submission: id}}}
			q.add(&taken{sequence: uint64(n), task: task, done: func() {}})
		}
		const all = OvertimeFactor*atOnce + 1
		for n := range all {
			add(n)
		}
		if !q.wanting() {
			t.Error("no other submission is wanted")
		}
		q.wait()
		for n := range all {
			want := time.Duration(n/atOnce) * overtime
			if n == all-1 {
				want = long // when the first is graded
			}
			if got, ok := graded[fmt.Sprint("s", n)]; !ok || got != want {
				t.Errorf("submission %d begins to be graded after %v, want %v", n, got, want)
			}
		}
	})
}

// TestTakenBounded tests how many submissions a process takes that cannot be graded yet: many small ones, and few large
// ones.
func TestTakenBounded(t *testing.T) {
	for _, c := range []struct{ size, want int }{{100, maxTaken}, {1 << 20, maxTakenBytes >> 20}} {
		blocked := make(chan struct{})
		q := newTurns(1, func(*taken) { <-blocked })
		q.alone = true
		n := 0
		for ; n <= maxTaken && q.wanting(); n++ {
			q.add(&taken{sequence: uint64(n), size: c.size, done: func() {}})
		}
		if n != c.want {
			t.Errorf("of %d bytes each, %d are taken, want %d", c.size, n, c.want)
		}
		close(blocked)
		q.wait()
	}
}

// graderWait is an ackWait that no test waits for.
const graderWait = time.Hour

// gradeForever grades without an end, and prints each submission that it begins.
func gradeForever(dir string) error {
	j, err := openWith(context.Background(), Options{Dir: dir})
	if err != nil {
		return err
	}
	j.ackWait = graderWait
	return j.Grade(context.Background(), 4, func(ctx context.Context, task Task) (Graded, error) {
		fmt.Println(task.Submission)
		<-ctx.Done()
		return Graded{}, ctx.Err()
	})
}

// TestGraderKilled kills a process while it grades. The next one takes up its submissions at once, although the server
// would wait for an hour for a sign of life of the first. What the server has delivered is in its files a moment later.
func TestGraderKilled(t *testing.T) {
	t.Run("at once", func(t *testing.T) { killGrader(t, 0) })
	t.Run("a moment later", func(t *testing.T) { killGrader(t, time.Second) })
}

func killGrader(t *testing.T, after time.Duration) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	appendAll(t, j, "K7M2QX", lesson[0])
	for _, id := range []string{"a", "b", "c"} {
		handIn(t, j, "participant "+id, id)
	}
	j.Close()
	cmd := childCommand(t, "grade", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for n, lines := 0, bufio.NewScanner(out); n < 3; n++ {
		if !lines.Scan() {
			t.Fatalf("the process begins %d submissions", n)
		}
	}
	time.Sleep(after)
	if err := cmd.Process.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	j = openJournal(t, dir)
	j.ackWait = graderWait
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	graded := map[string]bool{}
	j.Grade(ctx, 4, func(_ context.Context, task Task) (Graded, error) {
		mu.Lock()
		defer mu.Unlock()
		if graded[task.Submission] = true; len(graded) == 3 {
			cancel()
		}
		return Graded{Verdict: json.RawMessage("{}")}, nil
	})
	if len(graded) != 3 {
		t.Errorf("only %v are taken up", graded)
	}
}
