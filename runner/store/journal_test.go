package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

// openWith opens a store, and the journal in it.
func openWith(ctx context.Context, o Options) (*Journal, error) {
	in, err := Open(o)
	if err != nil {
		return nil, err
	}
	j, err := in.Journal(ctx)
	if err != nil {
		in.Close()
		return nil, err
	}
	return j, nil
}

// Close closes the store of a journal.
func (j *Journal) Close() { j.store.Close() }

func openJournal(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := openWith(t.Context(), Options{Dir: dir, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
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
	{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}},
	{Kind: room.Joined, Participant: "p1", Name: "Ada"},
	{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: "s1"},
}

// TestRestart tests that a journal that was closed has every event, once, when it is opened again.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	appendAll(t, j, "K7M2QX", lesson...)
	j.Close()
	j = openJournal(t, dir)
	appendAll(t, j, "K7M2QX", lesson...) // repeated requests
	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		return rooms["K7M2QX"] != nil && rooms["K7M2QX"].Submissions["s1"] != nil
	})
	if r := rooms["K7M2QX"]; r.Title != "Monday" || r.Participants["p1"].Name != "Ada" || r.Sequence != 3 {
		t.Errorf("%+v", r)
	}
}

// TestRenumbered tests that what was handed in before the exercises were renumbered is read and graded with today's ID.
func TestRenumbered(t *testing.T) {
	j := openJournal(t, t.TempDir())
	for subject, text := range map[string]string{
		eventSubject("K7M2QX"):            `{"kind":"created","exercises":["exercise3"]}`,
		submissionSubject("K7M2QX", "s1"): `{"kind":"submitted","exercise":"exercise3","submission":"s1"}`,
	} {
		if _, err := j.store.publish(t.Context(), &nats.Msg{Subject: subject, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := j.Submission(t.Context(), "K7M2QX", "s1"); err != nil || r.Exercise != "exercise40" {
		t.Errorf("%+v, %v", r, err)
	}
	appendAll(t, j, "K7M2QX", room.Event{Kind: room.Regraded, Submission: "s1", Regrade: 1})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var graded []string
	j.Grade(ctx, 1, func(_ context.Context, task Task) (Graded, error) {
		if graded = append(graded, task.Exercise); len(graded) == 2 {
			cancel()
		}
		return Graded{Verdict: json.RawMessage("{}")}, nil
	})
	if !slices.Equal(graded, []string{"exercise40", "exercise40"}) {
		t.Errorf("graded as %q", graded)
	}
}

// TestGradeOnce tests that several workers grade each submission once, and that a fault of theirs is retried.
func TestGradeOnce(t *testing.T) {
	j := openJournal(t, t.TempDir())
	const submissions = 20
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	for i := range submissions {
		id := fmt.Sprintf("s%d", i)
		e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: id}
		record := Record{Event: e, Files: map[string]string{"a.go": id}}
		if _, err := j.Append(t.Context(), "K7M2QX", id, record); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	graded := map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			j.Grade(ctx, 1, func(_ context.Context, task Task) (Graded, error) {
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

// TestCaughtUp tests that a follower learns that it has read everything, also where the last events stored belong to a
// room that was deleted, and that it sees nothing of that room.
func TestCaughtUp(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	for _, code := range []string{"K7M2QX", "ABCDEF"} {
		appendAll(t, j, code, lesson...)
	}
	if _, err := j.verdicts.Create(t.Context(), verdictKey("ABCDEF", "s1", 0), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second deletion does no harm
		if _, err := j.Delete(t.Context(), "ABCDEF"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Submission(t.Context(), "ABCDEF", "s1"); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("the submission is still there: %v", err)
	}
	if _, err := j.Verdict(t.Context(), "ABCDEF", "s1", 0); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("the verdict is still there: %v", err)
	}
	// Without the event that it was deleted, no event has the stream's last number.
	if err := j.purge(t.Context(), "ABCDEF"); err != nil {
		t.Fatal(err)
	}
	j.Close()
	j = openJournal(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := map[string]int{}
	err := j.Follow(ctx, func(code string, _ uint64, _ room.Event) { seen[code]++ }, cancel)
	if ctx.Err() != context.Canceled || seen["K7M2QX"] != len(lesson) || seen["ABCDEF"] != 0 {
		t.Errorf("%v, %v, %v", err, context.Cause(ctx), seen)
	}
}

// TestJournalFull tests that a journal without room left says so, keeps what it has acknowledged, and takes events
// again once a room was deleted.
func TestJournalFull(t *testing.T) {
	dir := t.TempDir()
	j, err := openWith(t.Context(), Options{Dir: dir, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	files := map[string]string{"a.go": strings.Repeat("x", 50_000)}
	submit := func(i int) error {
		id := fmt.Sprint("s", i)
		e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: id}
		_, err := j.Append(t.Context(), "K7M2QX", id, Record{Event: e, Files: files})
		return err
	}
	stored := 0
	for ; stored < 100; stored++ {
		if err = submit(stored); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrFull) || stored < 10 {
		t.Fatalf("after %d submissions: %v", stored, err)
	}
	j.Close()
	j = openJournal(t, dir)
	for i := range stored {
		if _, err := j.Submission(t.Context(), "K7M2QX", fmt.Sprint("s", i)); err != nil {
			t.Error(err)
		}
	}
	j.Close()
	if j, err = openWith(t.Context(), Options{Dir: dir, MaxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Delete(t.Context(), "K7M2QX"); err != nil {
		t.Fatal(err)
	}
	if err := submit(1000); err != nil {
		t.Errorf("after deleting the room: %v", err)
	}
}

// TestStateFolder opens folders that cannot be used. Each error names the folder and what to do.
func TestStateFolder(t *testing.T) {
	stored := func(t *testing.T) (dir string, stream string) {
		dir = t.TempDir()
		j := openJournal(t, dir)
		appendAll(t, j, "K7M2QX", lesson...)
		j.Close()
		return dir, filepath.Join(dir, "jetstream", "$G", "streams", roomStream)
	}
	garbage := func(t *testing.T, pattern string) {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%v: there is no %s", err, pattern)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range text {
				text[i] ^= 0x55
			}
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T) (dir string)
		want    string
	}{
		"in use": {func(t *testing.T) string {
			dir := t.TempDir()
			openJournal(t, dir)
			return dir
		}, "another runner uses this folder: end that one, or choose another folder with --state"},
		"a file": {func(t *testing.T) string {
			name := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return name
		}, "make the folder"},
		"damaged events": {func(t *testing.T) string {
			dir, stream := stored(t)
			garbage(t, filepath.Join(stream, "msgs", "*.blk"))
			return dir
		}, "the files are damaged"},
		"damaged events and index": {func(t *testing.T) string {
			dir, stream := stored(t)
			garbage(t, filepath.Join(stream, "msgs", "*"))
			return dir
		}, "the files are damaged"},
		"a damaged byte of an event": {func(t *testing.T) string {
			dir, stream := stored(t)
			name := filepath.Join(stream, "msgs", "1.blk")
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/4] ^= 0x55
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "the files are damaged"},
		"damaged stream": {func(t *testing.T) string {
			dir, stream := stored(t)
			garbage(t, filepath.Join(stream, "meta.*"))
			return dir
		}, "the files are damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := c.prepare(t)
			j, err := openWith(t.Context(), Options{Dir: dir})
			if err == nil {
				info, _ := j.stream.Info(t.Context())
				j.Close()
				t.Fatalf("it opens: %+v", info.State)
			}
			if !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestForeignEvent tests that a message of another program ends the follower with a sentence that says what to do.
func TestForeignEvent(t *testing.T) {
	j := openJournal(t, t.TempDir())
	if _, err := j.store.js.Publish(t.Context(), "rooms.K7M2QX.event", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	err := j.Follow(t.Context(), func(string, uint64, room.Event) {}, func() {})
	if err == nil || !strings.Contains(err.Error(), "event 1 of the rooms") ||
		!strings.Contains(err.Error(), "--state") {
		t.Error(err)
	}
}

// TestExhausted tests that a submission whose workers all die is marked as failed, and that it is graded when the
// instructor asks for it again.
func TestExhausted(t *testing.T) {
	j := openJournal(t, t.TempDir())
	j.ackWait = 200 * time.Millisecond // so that a dead worker is noticed
	j.alone = false                    // a worker that is dead takes nothing
	appendAll(t, j, "K7M2QX", lesson...)
	var began atomic.Int64
	die := true
	var mu sync.Mutex
	worker := func(ctx context.Context) {
		j.Grade(ctx, 1, func(ctx context.Context, task Task) (Graded, error) {
			began.Add(1)
			mu.Lock()
			dies := die
			mu.Unlock()
			if dies {
				runtime.Goexit() // without a word to the server, as a process that is killed
			}
			return Graded{Verdict: []byte(`{}`), Grade: room.Grade{Pass: true, Score: 1}}, nil
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for range maxDeliver + 1 {
		workers.Go(func() { worker(ctx) })
	}
	reach := func(state string) *room.Submission {
		return follow(t, j, func(rooms map[string]*room.Room) bool {
			r := rooms["K7M2QX"]
			return r != nil && r.Submissions["s1"] != nil && r.Submissions["s1"].State == state
		})["K7M2QX"].Submissions["s1"]
	}
	if s := reach(room.StateFailed); s.Why == "" || began.Load() != maxDeliver {
		t.Errorf("%+v after %d times", s, began.Load())
	}
	mu.Lock()
	die = false
	mu.Unlock()
	appendAll(t, j, "K7M2QX", append(lesson[:3:3],
		room.Event{Kind: room.Regraded, Submission: "s1", Regrade: 1})...)
	if s := reach(room.StateGraded); s.Grade.Score != 1 || s.Regrade != 1 {
		t.Errorf("%+v", s)
	}
	cancel()
	workers.Wait()
}

// kinds follows the journal until it has an event of one of the kinds, and returns that event.
func kinds(t *testing.T, j *Journal, of ...room.Kind) (found room.Event) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	j.Follow(ctx, func(_ string, _ uint64, e room.Event) {
		if found.Kind == "" && slices.Contains(of, e.Kind) {
			found = e
			stop()
		}
	}, func() {})
	if found.Kind == "" {
		t.Fatalf("there is no event that is one of %q", of)
	}
	return found
}

// TestMissing tests that a submission that cannot be found is marked as failed, unless its room was deleted.
func TestMissing(t *testing.T) {
	j := openJournal(t, t.TempDir())
	deleted := Record{Event: room.Event{Kind: room.Deleted}}
	if _, err := j.Append(t.Context(), "ABCDEF", "deleted", deleted); err != nil {
		t.Fatal(err)
	}
	again := room.Event{Kind: room.Regraded, Submission: "s1", Regrade: 1}
	appendAll(t, j, "ABCDEF", again)
	appendAll(t, j, "K7M2QX", append(lesson[:2:2], again)...)
	ctx, cancel := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	worker.Go(func() {
		j.Grade(ctx, 1, func(context.Context, Task) (Graded, error) { return Graded{}, errors.New("it is not there") })
	})
	if e := kinds(t, j, room.Failed); e.Submission != "s1" || e.Regrade != 1 || e.Why != whyFailed {
		t.Errorf("%+v", e)
	}
	cancel()
	worker.Wait()
	if m, err := j.stream.GetLastMsgForSubject(t.Context(), eventSubject("ABCDEF")); err != nil || m.Sequence != 1 {
		t.Errorf("the deleted room has an event after the one that it was deleted: %+v, %v", m, err)
	}
}

// A counter counts records of a log.
type counter struct {
	slog.Handler
	records chan struct{}
}

func (c counter) Handle(ctx context.Context, r slog.Record) error {
	select {
	case c.records <- struct{}{}:
	default:
	}
	return c.Handler.Handle(ctx, r)
}

// TestUnavailable tests that a worker keeps trying to store an outcome, for longer than a submission is graded anew,
// and that the participant gets it in the end.
func TestUnavailable(t *testing.T) {
	tries := make(chan struct{}, 2*maxDeliver)
	log := slog.New(counter{slog.NewTextHandler(t.Output(), nil), tries})
	j, err := openWith(t.Context(), Options{Dir: t.TempDir(), MaxBytes: 1 << 20, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	appendAll(t, j, "K7M2QX", lesson...)
	for i, size := 0, 100_000; size > 0; i++ {
		e := room.Event{Kind: room.Hand, Participant: strings.Repeat("p", size), Exercise: "exercise6"}
		if _, err := j.Append(t.Context(), "ABCDEF", fmt.Sprint(i), Record{Event: e}); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			size /= 2
		}
	}
	graded := atomic.Int64{}
	ctx, cancel := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	worker.Go(func() {
		j.Grade(ctx, 1, func(context.Context, Task) (Graded, error) {
			graded.Add(1)
			return Graded{Verdict: []byte(`{}`), Grade: room.Grade{Pass: true, Score: 1}}, nil
		})
	})
	for range cap(tries) {
		<-tries
	}
	if _, err := j.Delete(t.Context(), "ABCDEF"); err != nil {
		t.Fatal(err)
	}
	if e := kinds(t, j, room.Graded, room.Failed); e.Kind != room.Graded || !e.Grade.Pass || graded.Load() != 1 {
		t.Errorf("%+v, graded %d times", e, graded.Load())
	}
	cancel()
	worker.Wait()
}

// TestHeartbeat tests that a worker notices the silence of a server that delivers submissions, before the delivered
// submissions are due again.
func TestHeartbeat(t *testing.T) {
	j := openJournal(t, t.TempDir())
	requests, err := j.store.Conn.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT.rooms.graders")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	worker.Go(func() { j.Grade(ctx, 1, nil) })
	m, err := requests.NextMsgWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}
	if err := json.Unmarshal(m.Data, &request); err != nil || request.Heartbeat <= 0 || 2*request.Heartbeat >= ackWait {
		t.Errorf("%v: a heartbeat each %v, and a submission is due again after %v", err, request.Heartbeat, ackWait)
	}
	cancel()
	worker.Wait()
}

// TestFollowAnew tests that a follower goes on if its consumer is gone and a new consumer cannot be made. In a cluster,
// this happens if a server dies that NATS had just chosen for the new consumer.
func TestFollowAnew(t *testing.T) {
	j := openJournal(t, t.TempDir())
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	var follower sync.WaitGroup
	defer follower.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	caughtUp, applied := make(chan struct{}), make(chan room.Kind, 10)
	follower.Go(func() {
		j.Follow(ctx, func(_ string, _ uint64, e room.Event) { applied <- e.Kind }, func() { close(caughtUp) })
	})
	<-caughtUp
	names := j.stream.ConsumerNames(ctx)
	first := <-names.Name()
	prefix, ok := strings.CutSuffix(first, "_1")
	if !ok {
		t.Fatalf("the consumer is %q: %v", first, names.Err())
	}
	// An ordered consumer does not acknowledge, and the policy of a consumer never changes.
	other := jetstream.ConsumerConfig{Name: prefix + "_2", Durable: prefix + "_2",
		AckPolicy: jetstream.AckExplicitPolicy}
	if _, err := j.stream.CreateConsumer(ctx, other); err != nil {
		t.Fatal(err)
	}
	if err := j.stream.DeleteConsumer(ctx, first); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, "K7M2QX", append(lesson[:2:2], room.Event{Kind: room.Ended})...)
	for {
		select {
		case kind := <-applied:
			if kind == room.Ended {
				return
			}
		case <-ctx.Done():
			t.Fatal("the follower does not go on")
		}
	}
}
