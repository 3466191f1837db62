package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ErrPreempted is why the work of a request ends whose slot is wanted for another one. To the work it is a cancellation.
var ErrPreempted = fmt.Errorf("the slot is wanted for another request: %w", context.Canceled)

const (
	// patience is how long a client without a slot waits before one is taken from a client with several. Programs mostly take less,
	// so that a slot is often free by then and no work is lost. A hello world that had to wait is answered within about a second.
	patience = 500 * time.Millisecond

	// A request runs for at least minQuantum and at most maxQuantum before its slot may be taken for being held too long: for twice
	// as long as a request of its kind takes, so that an ordinary one is not preempted on a busy machine either. The maximum
	// keeps a client from raising it by requests that take long.
	minQuantum = 2 * time.Second
	maxQuantum = 8 * time.Second
)

// allowance is how long the ticket may hold its slot while others wait: twice as long each time, so that it ends at last.
func (q *Queue) allowance(t *Ticket) time.Duration {
	return min(max(2*q.expected(t.kind), minQuantum), maxQuantum) << min(t.level, maxLevel)
}

// maxLevel bounds the doubling, far beyond the time that any request has.
const maxLevel = 10

// preempt takes a slot from a request that holds it while others wait, if it is time for that, and otherwise has itself called at
// the time. It takes one slot after the other: the next when the work in the first has ended.
func (q *Queue) preempt() {
	if q.recheck != nil {
		q.recheck.Stop()
	}
	if q.ending > 0 {
		return
	}
	now := time.Now()
	var victim *Ticket
	var due time.Time // when the victim's slot is to be taken
	for _, c := range q.clients {
		if len(c.waiting) == 0 {
			continue
		}
		if t, at := q.victim(c, now); t != nil && (victim == nil || at.Before(due)) {
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
		q.end(victim)
	}
}

// end has the work of a ticket end.
func (q *Queue) end(t *Ticket) {
	t.preempted, t.long = true, time.Since(t.began) >= q.allowance(t)
	q.ending++
	q.counts.Preempted++
	if t.end != nil { // else Wait has not returned yet
		t.end(ErrPreempted)
	}
}

// victim returns the request that is to give up its slot for the client, which has requests that wait, and when; nil where none is.
func (q *Queue) victim(c *client, now time.Time) (*Ticket, time.Time) {
	long, at := q.longest(c)
	if c.working > 0 || long != nil && !at.After(now) {
		return long, at
	}
	surplus := q.surplus()
	if surplus == nil {
		return long, at
	}
	since := c.waiting[0].waits
	for _, t := range c.waiting {
		if t.waits.Before(since) {
			since = t.waits
		}
	}
	if wanted := since.Add(patience); long == nil || wanted.Before(at) {
		return surplus, wanted
	}
	return long, at
}

// longest returns the request whose allowance is over first, of those that may give way to the client, and when that is: the
// client's own, and those of clients that hold more slots. Only a request that has not used up an allowance itself is given way
// to: two that run for long do not take the slot from each other.
func (q *Queue) longest(c *client) (long *Ticket, at time.Time) {
	if !slices.ContainsFunc(c.waiting, func(t *Ticket) bool { return t.level == 0 }) {
		return nil, at
	}
	for _, t := range q.running {
		holder := q.clients[t.holder]
		if holder != c && holder.working <= c.working {
			continue
		}
		if over := t.began.Add(q.allowance(t)); long == nil || over.Before(at) {
			long, at = t, over
		}
	}
	return long, at
}

// surplus returns the newest request of the client with most slots, if these are several: the least work is lost with it. Others may
// wait for the answer to one that is shared, so that one is kept.
func (q *Queue) surplus() (newest *Ticket) {
	for _, t := range q.running {
		holder := q.clients[t.holder]
		if holder.working > 1 && len(t.claims) == 1 && (newest == nil || holder.working >= q.clients[newest.holder].working) {
			newest = t
		}
	}
	return newest
}
