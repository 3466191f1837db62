package queue

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// This file decides the order in which tasks get slots. The queue's mutex must be held for everything in it.

const (
	// initialEstimate is how long a task is expected to take before any has been measured.
	initialEstimate = time.Second
	// smoothing is the weight of an average of earlier measurements; a new measurement has the weight 1.
	smoothing = 7

	// maxRetryAfter bounds Full.RetryAfter.
	maxRetryAfter = 30 * time.Second
)

// A client has tasks that wait or hold a slot.
type client struct {
	since uint64    // tick at which it joined, or at which one of its tasks last left a slot
	freed time.Time // time of that tick
}

// tick returns the number of the next event.
func (q *Queue) tick() uint64 {
	q.ticks++
	return q.ticks
}

// meet makes the name known as a client with a waiting task.
func (q *Queue) meet(name string) {
	if q.clients[name] == nil {
		q.clients[name] = &client{since: q.tick(), freed: time.Now()}
	}
}

// forget removes the clients, of the named ones, that have no tasks.
func (q *Queue) forget(names []string) {
	for _, name := range names {
		if len(q.waitingOf(name)) == 0 && q.held(name, false)+q.held(name, true) == 0 {
			delete(q.clients, name)
		}
	}
}

// isWaiting reports whether the task waits for a slot, or for room in the background.
func (t *Task) isWaiting() bool { return slices.Contains(t.queue.waiting, t) }

func (q *Queue) waitingOf(client string) (tasks []*Task) {
	for _, t := range q.waiting {
		if slices.Contains(t.clients, client) {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func (q *Queue) taken() (n int) {
	for _, t := range q.running {
		if !t.background {
			n++
		}
	}
	return n
}

// held returns how many of the client's tasks are worked on, in the background or with a slot.
func (q *Queue) held(client string, background bool) (n int) {
	for _, t := range q.running {
		if t.holder == client && t.background == background {
			n++
		}
	}
	return n
}

// backgroundRoom reports whether one more task may be worked on in the background, while taken slots are taken.
func (q *Queue) backgroundRoom(taken int) bool {
	return len(q.running)-q.taken() < max((q.local+1)/2, q.local-taken)
}

// grantSlots gives each free slot to the task that is next, does the same in the background, and then preempts a
// running task if one is due.
func (q *Queue) grantSlots() {
	for q.taken() < q.slots && q.grant(false) {
	}
	for q.backgroundRoom(q.taken()) && q.grant(true) {
	}
	q.preempt()
}

// grant begins the work of the task that is next, of the tasks in the background or of the others. It reports whether
// there is one.
func (q *Queue) grant(background bool) bool {
	var next *Task
	var holder string
	var held int        // by holder
	var urgency float64 // of next
	now := time.Now()
	for name, t := range q.firsts(background, now) {
		since := t.joined
		if freed := q.clients[name].freed; freed.After(since) {
			since = freed
		}
		h, u := q.held(name, background), q.ratio(t, since, now)
		if next == nil || h < held || h == held && (u > urgency ||
			u == urgency && q.clients[name].since < q.clients[holder].since) {
			next, holder, held, urgency = t, name, h, u
		}
	}
	if next == nil {
		return false
	}
	q.stopWaiting(next)
	q.running = append(q.running, next)
	next.holder, next.started = holder, now
	q.forget(next.clients)
	next.working, next.end = context.WithCancelCause(next.ctx)
	close(next.decided)
	return true
}

// firsts returns for each client its waiting task with the highest response ratio, of the tasks in the background or of
// the others.
func (q *Queue) firsts(background bool, now time.Time) map[string]*Task {
	firsts := map[string]*Task{}
	for _, t := range q.waiting {
		if t.background != background {
			continue
		}
		for _, name := range t.clients {
			if f := firsts[name]; f == nil || q.ratio(t, t.joined, now) > q.ratio(f, f.joined, now) {
				firsts[name] = t
			}
		}
	}
	return firsts
}

// ratio returns the task's response ratio: the time that it has waited, divided by the time that it is expected to
// take.
func (q *Queue) ratio(t *Task, since, now time.Time) float64 {
	return now.Sub(since).Seconds() / q.expected(t.kind).Seconds()
}

// expected returns how long a task of that kind is expected to hold a slot.
func (q *Queue) expected(kind string) time.Duration {
	if d, ok := q.kinds[kind]; ok {
		return d
	}
	return initialEstimate
}

// learn adds a measurement of how long a task of that kind held its slot.
func (q *Queue) learn(kind string, took time.Duration) {
	took = max(took, time.Millisecond)
	q.service = (q.service*smoothing + took) / (smoothing + 1)
	before := q.expected(kind).Seconds()
	q.kinds[kind] = time.Duration(before * math.Pow(took.Seconds()/before, 1./(smoothing+1)) * float64(time.Second))
}

func (q *Queue) stopWaiting(t *Task) {
	q.waiting = slices.DeleteFunc(q.waiting, func(w *Task) bool { return w == t })
}

func (q *Queue) free(t *Task) {
	q.measure(t, t.preempted)
	q.running = slices.DeleteFunc(q.running, func(r *Task) bool { return r == t })
	t.preempted = false
	t.end(nil)
}

// measure measures how long t held its slot, which it leaves. interrupted is true if its work has not ended.
func (q *Queue) measure(t *Task, interrupted bool) {
	if t.background {
		return // its time depends on what the others leave
	}
	// The client's wait starts at the end of this task, so that a client that joined meanwhile gets a slot before this
	// one's next task does.
	c := q.clients[t.holder]
	c.since, c.freed = q.tick(), time.Now()
	took := time.Since(t.started)
	// Work that was interrupted would have taken longer, so its time is a measurement only if it is longer than
	// expected already.
	if t.ctx.Err() == nil && (!interrupted || took > q.expected(t.kind)) {
		q.learn(t.kind, took)
	}
}

// position returns the number of waiting tasks, t included, or 0 if t does not wait. It may get its slot before others
// that joined earlier.
func (t *Task) position() int {
	if !t.isWaiting() {
		return 0
	}
	return len(t.queue.waiting)
}

// newestOfLargest returns the newest waiting task of the client with the most waiting tasks, of which only those count
// that no other client shares. It returns nil if the named client would have as many with one more task.
func (q *Queue) newestOfLargest(name string) (newest *Task) {
	alone := map[string]int{}
	for _, t := range q.waiting {
		if len(t.clients) == 1 {
			alone[t.clients[0]]++
		}
	}
	largest := len(q.waitingOf(name)) + 1
	for _, t := range q.waiting {
		if n := alone[t.clients[0]]; len(t.clients) == 1 && t.clients[0] != name &&
			(n > largest || n == largest && newest != nil) {
			largest, newest = n, t
		}
	}
	return newest
}

// refuse counts a refusal and returns its error.
func (q *Queue) refuse() *Full {
	q.counts.Refused++
	tasks := 1 + len(q.waiting)/2
	estimate := min(q.service*time.Duration(tasks)/time.Duration(q.slots), maxRetryAfter/2)
	// The random part is at least a second, because Retry-After counts whole seconds.
	estimate += rand.N(max(estimate, time.Second))
	return &Full{RetryAfter: (estimate + time.Second - 1).Truncate(time.Second)}
}
