package queue

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// This file decides which tasks lose their slots, and when. The queue's mutex must be held for every function in it.

// ErrPreempted is the cause with which the context of work ends if the slot is to go to another request. It wraps
// context.Canceled.
var ErrPreempted = fmt.Errorf("the slot is wanted for another request: %w", context.Canceled)

const (
	// preemptionDelay is how long a client without a slot waits before one is taken from a client with several. Most
	// programs take less, so a slot is often free by then and no work is lost. A hello world that had to wait is
	// answered within about a second.
	preemptionDelay = 500 * time.Millisecond

	// A task may hold its slot for quantumFactor times as long as a task of its kind is expected to take, so that
	// an ordinary request is not preempted on a busy machine either, but at least for minQuantum and at most for
	// maxQuantum. The maximum keeps a client from raising the expectation by slow requests. With a factor of 2, one
	// check in a hundred of a class of sixty was preempted, and then took half a minute in the background.
	quantumFactor = 3
	minQuantum    = 1 * time.Second
	maxQuantum    = 6 * time.Second
)

// quantum returns how long the task may hold its slot while others wait.
func (q *Queue) quantum(t *Task) time.Duration {
	return min(max(quantumFactor*q.expected(t.kind), minQuantum), maxQuantum)
}

// preempt ends the work of a task whose slot is due for another, and otherwise sets a timer for when one will be. It
// preempts one task at a time: the next one when the work of the first has ended.
func (q *Queue) preempt() {
	if q.recheck != nil {
		q.recheck.Stop()
	}
	if slices.ContainsFunc(q.running, func(t *Task) bool { return t.preempted }) {
		return
	}
	now := time.Now()
	var victim *Task
	var due time.Time // when to preempt it
	for name := range q.clients {
		if t, at := q.victim(name, now); t != nil && (victim == nil || at.Before(due)) {
			victim, due = t, at
		}
	}
	switch {
	case victim == nil:
	case due.After(now):
		q.recheck = time.AfterFunc(due.Sub(now), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.preempt()
		})
	default:
		q.preemptTask(victim)
	}
}

func (q *Queue) preemptTask(t *Task) {
	t.preempted, t.expired = true, time.Since(t.started) >= q.quantum(t)
	q.counts.Preempted++
	t.end(ErrPreempted)
}

// victim returns the task to preempt for the client, and when, or nil if there is none. Tasks in the background do not
// wait for slots.
func (q *Queue) victim(name string, now time.Time) (victim *Task, at time.Time) {
	var since time.Time // when the first of its tasks that wait for a slot began to
	for _, t := range q.waitingOf(name) {
		if !t.background && (since.IsZero() || t.since.Before(since)) {
			since = t.since
		}
	}
	if since.IsZero() {
		return nil, at
	}
	expiring, at := q.nextToExpire(name)
	if q.held(name, false) > 0 || expiring != nil && !at.After(now) {
		return expiring, at
	}
	surplus := q.surplus()
	if surplus == nil {
		return expiring, at
	}
	if due := since.Add(preemptionDelay); expiring == nil || due.Before(at) {
		return surplus, due
	}
	return expiring, at
}

// nextToExpire returns the task with a slot whose quantum ends first, and when. Only the client's own tasks and
// tasks of clients with more tasks that are worked on are considered. Those in the background count here: a client that
// fills the background with endless requests would otherwise send there, behind them, every other request that takes
// longer than its quantum.
func (q *Queue) nextToExpire(name string) (next *Task, at time.Time) {
	worked := func(client string) int { return q.held(client, false) + q.held(client, true) }
	for _, t := range q.running {
		if t.background || t.holder != name && worked(t.holder) <= worked(name) {
			continue
		}
		if end := t.started.Add(q.quantum(t)); next == nil || end.Before(at) {
			next, at = t, end
		}
	}
	return next, at
}

// surplus returns the newest task with a slot of the client with the most slots, or nil if no client has several. The
// newest loses the least work. A task that several clients share is not considered.
func (q *Queue) surplus() (newest *Task) {
	for _, t := range q.running {
		held := q.held(t.holder, false)
		if t.background || held <= 1 || len(t.clients) != 1 {
			continue
		}
		if newest == nil || held >= q.held(newest.holder, false) {
			newest = t
		}
	}
	return newest
}
