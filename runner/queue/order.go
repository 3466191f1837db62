package queue

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// This file decides the order in which tasks get slots, and which of them lose theirs. The queue's mutex must be held
// for everything in it.

// ErrPreempted is the cause with which the context of work ends if the slot is to go to another task. It wraps
// context.Canceled.
var ErrPreempted = fmt.Errorf("the slot is wanted for another request: %w", context.Canceled)

const (
	// quantum is how long a task may hold its slot while others wait. Checks as WebAssembly take up to some seconds on
	// a busy machine, and starting again in the background takes them much longer.
	quantum = 5 * time.Second

	// preemptionDelay is how long a client without a slot waits before one is taken from a client with several. Most
	// programs take less, so a slot is often free by then and no work is lost. A hello world that had to wait is
	// answered within about a second.
	preemptionDelay = 500 * time.Millisecond

	// initialEstimate is how long a task is expected to hold its slot before any has been measured.
	initialEstimate = time.Second
	// smoothing is the weight of the average of earlier measurements; a new measurement has the weight 1.
	smoothing = 7
	// maxRetryAfter bounds Full.RetryAfter.
	maxRetryAfter = 30 * time.Second
)

// taken returns how many slots are taken.
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
	return len(q.running)-q.taken() < max((q.own+1)/2, q.own-taken)
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

// grant begins the work of the next task, out of the tasks in the background or out of all others. It reports whether
// there is one.
func (q *Queue) grant(background bool) bool {
	now := time.Now()
	var next *Task
	var holder string
	var held int
	var most float64
	for client, t := range q.firsts(background, now) {
		since := t.joined
		if freed := q.freed[client]; freed.After(since) {
			since = freed
		}
		h, r := q.held(client, background), t.ratio(since, now)
		if next == nil || h < held || h == held && (r > most || r == most && t.joined.Before(next.joined)) {
			next, holder, held, most = t, client, h, r
		}
	}
	if next == nil {
		return false
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(t *Task) bool { return t == next })
	q.running = append(q.running, next)
	next.holder, next.started = holder, now
	next.working, next.end = context.WithCancelCause(next.ctx)
	q.counts.Granted++
	q.counts.Waited += next.started.Sub(next.since)
	close(next.decided)
	return true
}

// firsts returns for each client its waiting task with the highest response ratio, out of the tasks in the background
// or out of all others.
func (q *Queue) firsts(background bool, now time.Time) map[string]*Task {
	firsts := map[string]*Task{}
	for _, t := range q.waiting {
		if t.background != background {
			continue
		}
		for _, client := range t.clients {
			if f := firsts[client]; f == nil || t.ratio(t.joined, now) > f.ratio(f.joined, now) {
				firsts[client] = t
			}
		}
	}
	return firsts
}

// ratio returns the task's response ratio, for a wait since then.
func (t *Task) ratio(since, now time.Time) float64 { return float64(now.Sub(since)) / float64(t.takes) }

// release frees the task's slot, or its room in the background. The client's wait starts anew, so that a client
// that joined meanwhile gets a slot before this client's next task does.
func (q *Queue) release(t *Task) {
	q.running = slices.DeleteFunc(q.running, func(r *Task) bool { return r == t })
	q.freed[t.holder] = time.Now()
	// Canceled tasks are not measured: otherwise clients that give up early would make all look short. The time of a
	// task in the background depends on what the others leave.
	if !t.background && t.ctx.Err() == nil {
		q.service = (q.service*smoothing + time.Since(t.started)) / (smoothing + 1)
	}
	q.forget()
}

// stopWaiting removes a task from the waiting ones.
func (q *Queue) stopWaiting(t *Task) {
	q.waiting = slices.DeleteFunc(q.waiting, func(w *Task) bool { return w == t })
	q.forget()
}

// forget removes the clients that have no tasks.
func (q *Queue) forget() {
	maps.DeleteFunc(q.freed, func(client string, _ time.Time) bool {
		of := func(t *Task) bool { return slices.Contains(t.clients, client) }
		return !slices.ContainsFunc(q.waiting, of) && !slices.ContainsFunc(q.running, of)
	})
}

// preempt takes the slot from a task if it is due for another one, and otherwise sets a timer for when one will be. It
// takes one slot at a time: the next one when the work of the first task has ended.
func (q *Queue) preempt() {
	if q.recheck != nil {
		q.recheck.Stop()
	}
	if slices.ContainsFunc(q.running, func(t *Task) bool { return t.preempted }) {
		return
	}
	var victim *Task
	var due time.Time // when to preempt it
	for _, w := range q.waiting {
		if w.background {
			continue // it does not wait for a slot
		}
		for _, t := range q.running {
			if at, ok := q.due(t, w); ok && (victim == nil || !at.After(due)) { // the newest loses the least work
				victim, due = t, at
			}
		}
	}
	switch wait := time.Until(due); {
	case victim == nil:
	case wait > 0:
		q.recheck = time.AfterFunc(wait, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.preempt()
		})
	default:
		q.takeSlot(victim)
	}
}

// due returns when the running task t gives its slot to the waiting task w. ok is false if it keeps the slot: a client
// gives its slots only to its own tasks, and to clients with fewer.
func (q *Queue) due(t, w *Task) (at time.Time, ok bool) {
	if t.background {
		return at, false
	}
	has, wants := q.held(t.holder, false), q.held(w.clients[0], false)
	for _, client := range w.clients[1:] {
		wants = min(wants, q.held(client, false))
	}
	if has <= wants && !slices.Contains(w.clients, t.holder) {
		return at, false
	}
	at = t.started.Add(quantum)
	// A task that several clients share is not the surplus of one.
	if soon := w.since.Add(preemptionDelay); has > 1 && wants == 0 && len(t.clients) == 1 && soon.Before(at) {
		at = soon
	}
	return at, true
}

// takeSlot ends the work of a task, which then waits again.
func (q *Queue) takeSlot(t *Task) {
	t.preempted, t.expired = true, time.Since(t.started) >= quantum
	q.counts.Preempted++
	t.end(ErrPreempted)
}

// position returns the number of waiting tasks, t included, or 0 if t does not wait. It may get its slot before others
// that joined earlier.
func (t *Task) position() int {
	if !slices.Contains(t.queue.waiting, t) {
		return 0
	}
	return len(t.queue.waiting)
}

// newestOfLargest returns the newest waiting task of the client with the most waiting tasks. A task that several
// clients share counts for the named client only. It returns nil if that client would have as many with one more.
func (q *Queue) newestOfLargest(name string) (newest *Task) {
	counts := map[string]int{}
	for _, t := range q.waiting {
		switch {
		case len(t.clients) == 1:
			counts[t.clients[0]]++
		case slices.Contains(t.clients, name):
			counts[name]++
		}
	}
	most := counts[name] + 1
	for _, t := range q.waiting {
		if n := counts[t.clients[0]]; len(t.clients) == 1 && t.clients[0] != name &&
			(n > most || n == most && newest != nil) {
			most, newest = n, t
		}
	}
	return newest
}

// refuse counts a refusal and returns its error.
func (q *Queue) refuse() *Full {
	q.counts.Refused++
	estimate := min(q.service*time.Duration(1+len(q.waiting)/2)/time.Duration(q.slots), maxRetryAfter/2)
	// The random part is at least a second, because Retry-After counts whole seconds.
	estimate += rand.N(max(estimate, time.Second))
	return &Full{RetryAfter: (estimate + time.Second - 1).Truncate(time.Second)}
}
