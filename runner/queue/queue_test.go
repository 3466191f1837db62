package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func newQueue(t testing.TB, slots, capacity int) *Queue {
	t.Helper()
	q, err := New(slots, capacity, 0)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// joined has a request of the client join, whose work is up to the test: acquire begins it, and finish ends it.
func joined(t testing.TB, q *Queue, client string) *Task {
	t.Helper()
	task, _, err := q.join(t.Context(), &Request{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// join has a request of each of the named clients join, such as "a b b", and returns the tasks as "a1", "b1" and "b2".
func join(t *testing.T, q *Queue, names string) (tasks map[string]*Task, refused []string) {
	t.Helper()
	tasks = map[string]*Task{}
	count := map[string]int{}
	for _, name := range strings.Fields(names) {
		count[name]++
		label := fmt.Sprint(name, count[name])
		task, _, err := q.join(t.Context(), &Request{Client: name})
		if err != nil {
			refused = append(refused, label)
			continue
		}
		tasks[label] = task
	}
	return tasks, refused
}

// done ends the task.
func (t *Task) done() { t.finish(Answer{}, nil) }

func (t *Task) isWorking() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return slices.Contains(t.queue.running, t)
}

// grantOrder ends the work of one task after the other, in the order in which they got their slots, and returns that
// order.
func grantOrder(q *Queue, tasks map[string]*Task) string {
	var order []string
	for len(q.running) > 0 {
		next := q.running[0]
		for label, t := range tasks {
			if t == next {
				order = append(order, label)
			}
		}
		next.done()
	}
	return strings.Join(order, " ")
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		slots int
		come  string
		want  string
	}{
		{"one client is first come first served", 1, "a a a a", "a1 a2 a3 a4"},
		{"clients alternate", 1, "a a a b b c", "a1 b1 c1 a2 b2 a3"},
		{"a first request is before the second of who works", 1, "a a a a a a b", "a1 b1 a2 a3 a4 a5 a6"},
		{"clients of one request are first come first served", 1, "a b c d e", "a1 b1 c1 d1 e1"},
		{"with two at work, who has none goes first", 2, "a a a a a b", "a1 a2 b1 a3 a4 a5"},
		{"two at work are of two clients", 2, "a b a a b b", "a1 b1 a2 b2 a3 b3"},
	} {
		q := newQueue(t, c.slots, 100)
		tasks, refused := join(t, q, c.come)
		if got := grantOrder(q, tasks); got != c.want || refused != nil {
			t.Errorf("%s: %s come to %d slots: slots in the order %s, refused %s; want %s", c.name, c.come, c.slots,
				got, refused, c.want)
		}
		if len(q.freed) != 0 {
			t.Errorf("%s: the queue remembers %v", c.name, q.freed)
		}
	}
}

// TestShortGoesFirst tests that short requests wait for a short time, and that long requests get a slot too.
func TestShortGoesFirst(t *testing.T) {
	for _, c := range []struct {
		name         string
		short, long  time.Duration // how long each has waited
		hog          time.Duration // time since the client of the short request last had a slot; 0 for never
		wantTheShort bool
	}{
		{"came together", time.Second, time.Second, 0, true},
		{"a little later", time.Second, 9 * time.Second, 0, true},
		{"much later", time.Second, 11 * time.Second, 0, false},
		{"had a slot just now", time.Minute, 11 * time.Second, time.Second, false},
	} {
		for _, client := range []string{"b", "a"} {
			if client == "a" && c.hog > 0 {
				continue // the client of both would have had it
			}
			q := newQueue(t, 1, 10)
			first := joined(t, q, "x")
			long := joined(t, q, "a")
			short, _, err := q.join(t.Context(), &Request{Client: client, Takes: 100 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			long.joined, short.joined = now.Add(-c.long), now.Add(-c.short)
			if c.hog > 0 {
				q.freed[client] = now.Add(-c.hog)
			}
			first.done()
			if short.isWorking() != c.wantTheShort || long.isWorking() == c.wantTheShort {
				t.Errorf("%s, of client %s: the short one has a slot: %v", c.name, client, short.isWorking())
			}
		}
	}
}

// TestCanceledIsNotMeasured cancels requests: before they have a slot, as they get it, and while they have it.
func TestCanceledIsNotMeasured(t *testing.T) {
	q := newQueue(t, 1, 10)
	for _, atOnce := range []bool{true, false} {
		task := joined(t, q, "a")
		if atOnce {
			task.leave()
		}
		if _, err := task.acquire(); (err != nil) != atOnce {
			t.Fatalf("canceled at once: %v: %v", atOnce, err)
		}
		if !atOnce {
			task.leave()
		}
		task.done()
	}
	if q.service != initialEstimate {
		t.Errorf("canceled tasks are measured: one takes %v", q.service)
	}
	task := joined(t, q, "a")
	if task.done(); q.service == initialEstimate {
		t.Error("a task that ends by itself is not measured")
	}
}

func TestFull(t *testing.T) {
	for _, c := range []struct {
		name            string
		slots, capacity int
		come            string
		refused         string // at once
		displaced       string // later
	}{
		{"no room", 1, 0, "a b", "b1", ""},
		{"room is taken", 1, 2, "a b c d", "d1", ""},
		{"the hog itself is refused", 1, 2, "a a a a", "a4", ""},
		{"the hog's newest gives way", 1, 3, "a a a a b", "", "a4"},
		{"and so on until they hold as many", 1, 4, "a a a a a b b b", "b3", "a4 a5"},
		{"one more is no hog", 1, 2, "a b b c", "", "b2"},
		{"who has one each gains nothing", 1, 3, "a b c d e", "e1", ""},
		{"of two hogs the newest", 1, 4, "x a a b b c", "", "b2"},
	} {
		tasks, refused := join(t, newQueue(t, c.slots, c.capacity), c.come)
		var displaced []string
		for label, task := range tasks {
			if task.refusal != nil {
				displaced = append(displaced, label)
				if _, err := task.acquire(); err != error(task.refusal) {
					t.Errorf("%s: %s waits with error %v", c.name, label, err)
				}
			}
		}
		slices.Sort(displaced)
		if got, later := strings.Join(refused, " "), strings.Join(displaced, " "); got != c.refused ||
			later != c.displaced {
			t.Errorf("%s: %s come: refused %q, displaced %q; want %q, %q", c.name, c.come, got, later, c.refused,
				c.displaced)
		}
	}
}

// TestRefusedIsNotShared refuses a task in favor of another client's. An equal request that comes then begins anew.
func TestRefusedIsNotShared(t *testing.T) {
	q := newQueue(t, 1, 2)
	join(t, q, "a a")
	key := KeyOf("a")
	first, _, err := q.join(t.Context(), &Request{Client: "a", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	joined(t, q, "b")
	if first.refusal == nil {
		t.Fatal("the newest of the client with the most is not refused")
	}
	q.running[0].done()
	if again, a, err := q.join(t.Context(), &Request{Client: "c", Key: key}); err != nil || again == first ||
		a.CacheStatus != Miss {
		t.Errorf("an equal request joins the refused task: %v, %v", a.CacheStatus, err)
	}
}

// TestShare has other clients share the newest task of a hog. That task joined before b's, so it comes first among the
// tasks of clients that have had no slot yet.
func TestShare(t *testing.T) {
	q := newQueue(t, 1, 5)
	tasks, _ := join(t, q, "x hog hog")
	shared := func(client string) *Task {
		task, _, err := q.join(t.Context(), &Request{Client: client, Key: KeyOf("shared")})
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	tasks["hog3"] = shared("hog")
	tasks["b1"] = joined(t, q, "b")
	for _, client := range []string{"c", "c", "hog"} {
		if shared(client) != tasks["hog3"] {
			t.Fatalf("the request of %s is not shared", client)
		}
	}
	if n := q.Counts().Waiting; n != 4 {
		t.Errorf("%d wait, want 4: a shared task counts once", n)
	}
	// The shared task is not refused because of the hog's other ones.
	join(t, q, "d e")
	if tasks["hog3"].refusal != nil || tasks["hog2"].refusal == nil {
		t.Errorf("hog3 %v, hog2 %v: the hog's own newest task is hog2", tasks["hog3"].refusal, tasks["hog2"].refusal)
	}
	if got, want := grantOrder(q, tasks), "x1 hog1 hog3 b1"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestCanceledWaitLeavesTheQueue(t *testing.T) {
	q := newQueue(t, 1, 1)
	first := joined(t, q, "a")
	second := joined(t, q, "b")
	if n := second.position(); n != 1 {
		t.Errorf("the only waiting task has position %d", n)
	}
	second.leave()
	if _, err := second.acquire(); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	second.done()
	if c := q.Counts(); c.Waiting != 0 || c.Working != 1 {
		t.Errorf("after the cancellation: %+v", c)
	}
	first.done()
	if c := q.Counts(); c.Waiting != 0 || c.Working != 0 || c.Granted != 1 || len(q.freed) != 0 {
		t.Errorf("at the end: %+v, clients %v", c, q.freed)
	}
	// A slot that is granted at the same moment as the cancellation is not lost.
	third := joined(t, q, "c")
	third.leave()
	if _, err := third.acquire(); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if third.done(); q.Counts().Working != 0 {
		t.Errorf("a slot is lost: %+v", q.Counts())
	}
}

func TestRetryAfter(t *testing.T) {
	q := newQueue(t, 2, 10)
	join(t, q, strings.Repeat("a ", 12))
	for _, c := range []struct{ service, from, to time.Duration }{
		{10 * time.Millisecond, time.Second, 2 * time.Second},
		{time.Second, 3 * time.Second, 6 * time.Second}, // half of 10 waiting tasks, and this one, in 2 slots: 3 s
		{time.Hour, 15 * time.Second, 30 * time.Second},
	} {
		seen := map[time.Duration]bool{}
		q.service = c.service
		for range 500 {
			_, _, err := q.join(t.Context(), &Request{Client: "a"})
			var full *Full
			if !errors.As(err, &full) {
				t.Fatalf("error %v", err)
			}
			if d := full.RetryAfter; d < c.from || d > c.to || d%time.Second != 0 {
				t.Fatalf("slots held for %v: try again in %v", c.service, d)
			}
			seen[full.RetryAfter] = true
		}
		if len(seen) < 2 && c.service > 10*time.Millisecond {
			t.Errorf("slots held for %v: all clients are told to return in the same second", c.service)
		}
	}
}

// TestServiceTimeIsMeasured tests that Full.RetryAfter depends on how long tasks hold their slots.
func TestServiceTimeIsMeasured(t *testing.T) {
	q := newQueue(t, 1, 0)
	for range 40 {
		task := joined(t, q, "a")
		task.started = time.Now().Add(-2 * time.Millisecond)
		task.done()
	}
	if q.service < 2*time.Millisecond || q.service > initialEstimate/2 {
		t.Errorf("slots held for 2 ms are measured as %v", q.service)
	}
}

// TestShares has a client that always has 40 requests waiting, and ten modest clients that send one request after the
// other. All get the same number of slots, up to one.
func TestShares(t *testing.T) {
	const slots, modest, rounds = 3, 10, 200
	q := newQueue(t, slots, 40+modest)
	random := rand.New(rand.NewPCG(1, 2))
	enter := func(client string) { joined(t, q, client) }
	for range 40 {
		enter("hog")
	}
	for i := range modest {
		enter(fmt.Sprint("client", i))
	}
	granted := map[string]int{}
	for range rounds * (modest + 1) {
		if len(q.running) != slots {
			t.Fatalf("%d work of %d", len(q.running), slots)
		}
		task := q.running[random.IntN(slots)]
		granted[task.holder]++
		task.done()
		enter(task.holder)
	}
	for client, n := range granted {
		if n < rounds*9/10 || n > rounds*11/10 {
			t.Errorf("%s had %d slots of %d: %v", client, n, rounds, granted)
		}
	}
	if len(granted) != modest+1 {
		t.Errorf("clients with slots: %v", granted)
	}
}

// TestNoSlotIsLost has many clients ask, share and leave at random. Afterwards the queue holds nothing, and grants a
// slot.
func TestNoSlotIsLost(t *testing.T) {
	const slots, capacity, clients, requests = 4, 20, 30, 200
	q := newQueue(t, slots, capacity)
	var working, most, granted, refused, gaveUp atomic.Int64
	work := func(context.Context, *Task) (Result, error) {
		now := working.Add(1)
		defer working.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		return Result{}, nil
	}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			for range requests {
				ctx, cancel := context.WithCancel(context.Background())
				if random.IntN(3) == 0 {
					time.AfterFunc(time.Duration(random.IntN(300))*time.Microsecond, cancel)
				}
				r := &Request{Client: fmt.Sprint(i % 20), Work: work}
				if random.IntN(4) == 0 {
					r.Key = KeyOf(fmt.Sprint(random.IntN(3)))
				}
				_, err := q.Do(ctx, r)
				var full *Full
				switch {
				case errors.As(err, &full):
					refused.Add(1)
				case err != nil:
					gaveUp.Add(1)
				default:
					granted.Add(1)
				}
				cancel()
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); q.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("requests wait in vain: %+v", q.Counts())
	}
	if most.Load() != slots || granted.Load() == 0 || refused.Load() == 0 || gaveUp.Load() == 0 {
		t.Errorf("at most %d worked at once, %d answered, %d refused, %d gave up", most.Load(), granted.Load(),
			refused.Load(), gaveUp.Load())
	}
	c := q.Counts()
	if c.Waiting != 0 || c.Working != 0 || c.Refused == 0 || c.Waited <= 0 || len(q.freed)+len(q.tasks) != 0 {
		t.Errorf("at the end %+v, clients %v, tasks %v", c, q.freed, q.tasks)
	}
	for range slots {
		if _, err := joined(t, q, "last").acquire(); err != nil {
			t.Error(err)
		}
	}
}

// TestSetSlots tests that waiting tasks get the slots that are added, and that none loses a slot that is removed.
func TestSetSlots(t *testing.T) {
	q := newQueue(t, 1, 10)
	var tasks []*Task
	for i := range 4 {
		tasks = append(tasks, joined(t, q, fmt.Sprint("client ", i)))
	}
	check := func(working, waiting int) {
		t.Helper()
		if c := q.Counts(); c.Working != working || c.Waiting != waiting {
			t.Errorf("%d work and %d wait, want %d and %d", c.Working, c.Waiting, working, waiting)
		}
	}
	check(1, 3)
	q.SetSlots(3)
	check(3, 1)
	q.SetSlots(1)
	check(3, 1)
	for i, want := range []struct{ working, waiting int }{{2, 1}, {1, 1}, {1, 0}, {0, 0}} {
		tasks[i].done()
		check(want.working, want.waiting)
	}
}
