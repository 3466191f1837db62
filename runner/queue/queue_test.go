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

// Join has a request join, whose work is up to the test: Wait begins it, and Leave ends it.
func (q *Queue) Join(client, kind string) (*Task, error) {
	t, _, err := q.join(context.Background(), &Request{Client: client, Kind: kind})
	return t, err
}

// Wait has the task wait for its slot, as long as ctx is not done.
func (t *Task) Wait(ctx context.Context) (work context.Context, err error) {
	t.queue.mu.Lock()
	t.ctx = ctx
	t.queue.mu.Unlock()
	if work, err = t.acquire(); err != nil {
		t.Leave()
	}
	return work, err
}

// Leave ends the task. Further calls do nothing.
func (t *Task) Leave() {
	t.queue.mu.Lock()
	over := t.over
	t.queue.mu.Unlock()
	if !over {
		t.finish(Answer{}, nil)
	}
}

// Share has a request of another client join the task.
func (t *Task) Share(client string) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.add(client)
}

func (t *Task) Position() int {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.position()
}

// enter waits for a slot for a request, and returns the function that frees it.
func enter(q *Queue, ctx context.Context, client, kind string) (leave func(), err error) {
	t, err := q.Join(client, kind)
	if err != nil {
		return nil, err
	}
	if _, err := t.Wait(ctx); err != nil {
		return nil, err
	}
	return t.Leave, nil
}

// join has a request of each of the named clients join, such as "a b b", and returns the tasks as "a1", "b1" and
// "b2".
func join(t *testing.T, q *Queue, names string) (tasks map[string]*Task, refused []string) {
	t.Helper()
	tasks = map[string]*Task{}
	count := map[string]int{}
	for _, name := range strings.Fields(names) {
		count[name]++
		label := fmt.Sprint(name, count[name])
		task, err := q.Join(name, "")
		if err != nil {
			refused = append(refused, label)
			continue
		}
		tasks[label] = task
	}
	return tasks, refused
}

func (t *Task) isWorking() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return slices.Contains(t.queue.running, t)
}

// grantOrder frees one slot after the other, in the order in which they were granted, and returns that order.
func grantOrder(tasks map[string]*Task) string {
	var order []string
	for {
		var at []string
		for label, t := range tasks {
			if t.isWorking() && !slices.Contains(order, label) {
				at = append(at, label)
			}
		}
		if len(at) == 0 {
			break
		}
		slices.SortFunc(at, func(a, b string) int { return tasks[a].started.Compare(tasks[b].started) })
		order = append(order, at...)
		tasks[at[0]].Leave()
		for _, label := range at[1:] {
			tasks[label].Leave()
		}
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
		tasks, refused := join(t, newQueue(t, c.slots, 100), c.come)
		if got := grantOrder(tasks); got != c.want || refused != nil {
			t.Errorf("%s: %s come to %d slots: slots in the order %s, refused %s; want %s", c.name, c.come, c.slots,
				got, refused, c.want)
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
		q := newQueue(t, 1, 10)
		q.kinds["short"], q.kinds["long"] = 100*time.Millisecond, time.Second
		first, err := q.Join("x", "")
		if err != nil {
			t.Fatal(err)
		}
		long, err := q.Join("a", "long")
		if err != nil {
			t.Fatal(err)
		}
		short, err := q.Join("b", "short")
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		long.joined, short.joined = now.Add(-c.long), now.Add(-c.short)
		q.clients["a"].freed, q.clients["b"].freed = long.joined, short.joined
		if c.hog > 0 {
			q.clients["b"].freed = now.Add(-c.hog)
		}
		first.Leave()
		if short.isWorking() != c.wantTheShort || long.isWorking() == c.wantTheShort {
			t.Errorf("%s: the short one has a slot: %v", c.name, short.isWorking())
		}
	}
}

// TestKindsAreMeasured tests that a few very slow requests do not hide how long the others take.
func TestKindsAreMeasured(t *testing.T) {
	q := newQueue(t, 1, 10)
	for i := range 200 {
		took := 200 * time.Millisecond
		if i%10 == 5 {
			took = 7 * time.Second
		}
		q.learn("run", took)
	}
	if d := q.expected("run"); d < 200*time.Millisecond || d > 400*time.Millisecond {
		t.Errorf("runs of 0.2 s, a tenth of 7 s, are expected to take %v", d)
	}
	if d := q.expected("other"); d != initialEstimate {
		t.Errorf("a kind that was never measured is expected to take %v", d)
	}
}

// TestCanceledIsNotMeasured cancels requests: before they have a slot, as they get it, and while they have it.
func TestCanceledIsNotMeasured(t *testing.T) {
	q := newQueue(t, 1, 10)
	for range 20 {
		for _, c := range []struct {
			name                      string
			goneAtOnce, goneInTheTurn bool
		}{{"waits", true, false}, {"works", false, true}} {
			ctx, cancel := context.WithCancel(t.Context())
			if c.goneAtOnce {
				cancel()
			}
			leave, err := enter(q, ctx, "a", "short")
			if (err != nil) != c.goneAtOnce {
				t.Fatalf("%s: %v", c.name, err)
			}
			cancel()
			if err == nil {
				leave()
			}
		}
	}
	if q.service != initialEstimate || q.expected("short") != initialEstimate {
		t.Errorf("canceled requests are measured: any takes %v, one of their kind %v", q.service, q.expected("short"))
	}
	leave, err := enter(q, t.Context(), "a", "short")
	if err != nil {
		t.Fatal(err)
	}
	if leave(); q.service == initialEstimate || q.expected("short") == initialEstimate {
		t.Error("a request that ends by itself is not measured")
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
				if _, err := task.Wait(t.Context()); err != error(task.refusal) {
					t.Errorf("%s: %s waits with error %v", c.name, label, err)
				}
				delete(tasks, label)
			}
		}
		slices.Sort(displaced)
		if got, later := strings.Join(refused, " "), strings.Join(displaced, " "); got != c.refused ||
			later != c.displaced {
			t.Errorf("%s: %s come: refused %q, displaced %q; want %q, %q", c.name, c.come, got, later, c.refused,
				c.displaced)
		}
		for range strings.Fields(c.come) {
			for _, task := range tasks {
				task.Leave()
			}
		}
	}
}

func TestShare(t *testing.T) {
	q := newQueue(t, 1, 5)
	tasks, _ := join(t, q, "x hog hog hog b")
	tasks["hog3"].Share("c")
	tasks["hog3"].Share("c")
	tasks["hog3"].Share("hog")
	if n := q.Counts().Waiting; n != 4 {
		t.Errorf("%d wait, want 4: a shared request counts once", n)
	}
	// The shared request is not refused because of the hog's other requests.
	join(t, q, "d e")
	if tasks["hog3"].refusal != nil || tasks["hog2"].refusal == nil {
		t.Errorf("hog3 %v, hog2 %v: the hog's own newest request is hog2", tasks["hog3"].refusal,
			tasks["hog2"].refusal)
	}
	delete(tasks, "hog2")
	if got, want := grantOrder(tasks), "x1 hog1 b1 hog3"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
	tasks["hog3"].Share("late") // has no effect
	if q.clients["late"] != nil {
		t.Error("a task that has left is shared")
	}
}

func TestCanceledWaitLeavesTheQueue(t *testing.T) {
	q := newQueue(t, 1, 1)
	leave, err := enter(q, t.Context(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("the client has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	left := make(chan error)
	second, err := q.Join("b", "")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := second.Wait(ctx)
		left <- err
	}()
	if n := second.Position(); n != 1 {
		t.Errorf("the only waiting request has position %d", n)
	}
	cancel(why)
	if err := <-left; err != why {
		t.Errorf("error %v", err)
	}
	if c := q.Counts(); c.Waiting != 0 || c.Working != 1 {
		t.Errorf("after the cancellation: %+v", c)
	}
	leave()
	leave()
	if c := q.Counts(); c.Waiting != 0 || c.Working != 0 || len(q.clients) != 0 {
		t.Errorf("at the end: %+v, clients %v", c, q.clients)
	}
	// A slot that is granted at the same moment as the cancellation is not lost.
	third, err := q.Join("c", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := third.Wait(ctx); err != why {
		t.Errorf("error %v", err)
	}
	if c := q.Counts(); c.Working != 0 {
		t.Errorf("a slot is lost: %+v", c)
	}
}

func TestRetryAfter(t *testing.T) {
	q := newQueue(t, 2, 10)
	join(t, q, strings.Repeat("a ", 12))
	for _, c := range []struct{ service, from, to time.Duration }{
		{10 * time.Millisecond, time.Second, 2 * time.Second},
		{time.Second, 3 * time.Second, 6 * time.Second}, // half of 10 waiting requests, and this one, in 2 slots: 3 s
		{time.Hour, 15 * time.Second, 30 * time.Second},
	} {
		seen := map[time.Duration]bool{}
		q.service = c.service
		for range 500 {
			_, err := q.Join("a", "")
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

// TestServiceTimeIsMeasured tests that Full.RetryAfter depends on how long requests hold their slots.
func TestServiceTimeIsMeasured(t *testing.T) {
	q := newQueue(t, 1, 0)
	for range 40 {
		leave, err := enter(q, t.Context(), "a", "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
		leave()
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
	type held struct {
		*Task
		client string
	}
	var all []held
	enter := func(client string) {
		task, err := q.Join(client, "")
		if err != nil {
			t.Fatalf("%s is refused: %v", client, err)
		}
		all = append(all, held{task, client})
	}
	for range 40 {
		enter("hog")
	}
	for i := range modest {
		enter(fmt.Sprint("client", i))
	}
	granted := map[string]int{}
	for range rounds * (modest + 1) {
		var working []int
		for i, h := range all {
			if h.isWorking() {
				working = append(working, i)
			}
		}
		if len(working) != slots {
			t.Fatalf("%d work of %d", len(working), slots)
		}
		i := working[random.IntN(len(working))]
		h := all[i]
		all = slices.Delete(all, i, i+1)
		granted[h.client]++
		h.Leave()
		enter(h.client)
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

// TestNoSlotIsLost has many clients join, wait, cancel, share and leave at random. Afterwards the queue holds
// nothing, and grants a slot.
func TestNoSlotIsLost(t *testing.T) {
	const slots, capacity, clients, requests = 4, 20, 30, 200
	q := newQueue(t, slots, capacity)
	var working, most, granted, refused, gaveUp atomic.Int64
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			name := fmt.Sprint(i % 20)
			for range requests {
				ctx, cancel := context.WithCancel(context.Background())
				if random.IntN(3) == 0 {
					time.AfterFunc(time.Duration(random.IntN(300))*time.Microsecond, cancel)
				}
				task, err := q.Join(name, "")
				if err == nil {
					if random.IntN(4) == 0 {
						go task.Share(fmt.Sprint(random.IntN(20)))
					}
					_, err = task.Wait(ctx)
				}
				var full *Full
				switch {
				case errors.As(err, &full):
					refused.Add(1)
				case err != nil:
					gaveUp.Add(1)
				default:
					now := working.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					time.Sleep(time.Duration(random.IntN(50)) * time.Microsecond)
					granted.Add(1)
					working.Add(-1)
					task.Leave()
				}
				cancel()
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("requests wait in vain: %+v", q.Counts())
	}
	if granted.Load()+refused.Load()+gaveUp.Load() != clients*requests {
		t.Errorf("%d slots, %d refused and %d given up are not %d requests", granted.Load(), refused.Load(),
			gaveUp.Load(), clients*requests)
	}
	if most.Load() != slots || granted.Load() == 0 || refused.Load() == 0 || gaveUp.Load() == 0 {
		t.Errorf("at most %d worked at once, %d slots, %d refused, %d gave up", most.Load(), granted.Load(),
			refused.Load(), gaveUp.Load())
	}
	// A request that has given up may still be refused, until it leaves.
	c := q.Counts()
	if counted := int64(c.Refused); c.Waiting != 0 || c.Working != 0 || counted < refused.Load() ||
		counted > refused.Load()+gaveUp.Load() || len(q.clients) != 0 {
		t.Errorf("at the end %+v, %d clients; %d refused, %d gave up", c, len(q.clients), refused.Load(), gaveUp.Load())
	}
	for range slots {
		if _, err := enter(q, t.Context(), "last", ""); err != nil {
			t.Error(err)
		}
	}
}

// TestSetSlots tests that waiting requests get the slots that are added, and that nobody loses a slot that is removed.
func TestSetSlots(t *testing.T) {
	q := newQueue(t, 1, 10)
	var tasks []*Task
	for i := range 4 {
		task, err := q.Join(fmt.Sprint("client ", i), "kind")
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, task)
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
		tasks[i].Leave()
		check(want.working, want.waiting)
	}
}

// TestCrowded has a request wait for a slot, and for room in the background.
func TestCrowded(t *testing.T) {
	q := newQueue(t, 1, 10)
	crowded := func(want bool, when string) {
		t.Helper()
		if got := q.Crowded(); got != want {
			t.Errorf("%s: crowded %v, want %v", when, got, want)
		}
	}
	tasks, _ := join(t, q, "a")
	crowded(false, "nobody waits")
	more, _ := join(t, q, "b")
	crowded(true, "a request waits for the slot")
	more["b1"].background = true
	crowded(false, "it waits for room in the background")
	more["b1"].Leave()
	tasks["a1"].Leave()
	crowded(false, "all requests have left")
}
