package jobs

import (
	"context"
	"slices"
	"time"
)

// A Ticket is a request in a queue, until Wait fails or Leave is called.
type Ticket struct {
	queue  *Queue
	kind   string
	number uint64 // tick at which it joined

	// These are guarded by the queue's mutex.
	state      state
	joined     time.Time     // when it joined, or began to wait for room in the background
	waitsSince time.Time     // when its wait for its slot, or for its next slot, started
	decided    chan struct{} // closed when it has a slot or is refused
	clients    []string      // the clients whose request it is
	holder     string        // the one of them that the slot counts for
	started    time.Time     // when its work began
	background bool          // whether it is in the background
	preempted  bool          // whether its slot is to go to another request
	expired    bool          // whether it has run for its quantum, if preempted
	canceled   func() error  // Err of the context that was passed to Wait; nil before
	end        context.CancelCauseFunc
	refusal    *Full
}

type state int

const (
	waiting state = iota
	working
	left
)

// Share makes the request also the named client's. A request of several clients takes the room of one, and gets its
// slot as soon as any of these clients would get one. Share may be called at any time.
func (t *Ticket) Share(name string) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	switch {
	case t.state == waiting:
		t.addClient(name)
	case t.state == working && !slices.Contains(t.clients, name):
		t.clients = append(t.clients, name) // counts if it is requeued
	}
}

// Position returns the number of waiting requests, this one included, or 0 if it does not wait. The request may get
// its slot before others that joined earlier.
func (t *Ticket) Position() int {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state != waiting {
		return 0
	}
	return t.queue.counts.Waiting
}

// Wait waits for the request's slot, and returns the context for the work in it. That context ends with ctx, or with
// the cause ErrPreempted if the slot is to go to another request: the work must then end soon, and call Requeue. The
// error is a *Full if another request took this one's room in the queue, or ctx's cause if ctx ended first; the
// request has left the queue then.
//
// The queue measures how long requests of each kind take. It does not measure a request whose ctx ended: otherwise
// clients that give up early would make their requests look short, and get slots before others.
func (t *Ticket) Wait(ctx context.Context) (work context.Context, err error) {
	t.queue.mu.Lock()
	decided := t.decided
	t.queue.mu.Unlock()
	select {
	case <-decided:
	case <-ctx.Done():
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.canceled = ctx.Err
	switch {
	case t.refusal != nil:
		return nil, t.refusal
	case ctx.Err() != nil:
		// The request may have got its slot at the same moment: it is free for the next.
		t.leave()
		return nil, context.Cause(ctx)
	}
	work, t.end = context.WithCancelCause(ctx)
	if t.preempted {
		t.end(ErrPreempted)
	}
	return work, nil
}

// Waited returns how long the request waited for its slot.
func (t *Ticket) Waited() time.Duration {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.started.Sub(t.waitsSince)
}

// Requeue frees the slot of a preempted request, and has the request wait again: call Wait next. It reports false,
// and does nothing, if the request is not preempted or the context that was passed to Wait has ended.
func (t *Ticket) Requeue() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state != working || !t.preempted || t.isCanceled() {
		return false
	}
	t.free()
	t.state, t.waitsSince, t.decided = waiting, time.Now(), make(chan struct{})
	t.queue.counts.Waiting++
	if t.expired {
		// It waits for room in the background, as if it had joined now.
		t.joined, t.background, t.expired = t.waitsSince, true, false
	}
	clients := t.clients
	t.clients = nil
	for _, name := range clients {
		t.addClient(name)
	}
	t.queue.grantSlots()
	return true
}

// Leave removes the request from the queue, and frees its slot if it has one. Further calls do nothing.
func (t *Ticket) Leave() {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.leave()
}

// isCanceled reports whether the context that was passed to Wait has ended.
func (t *Ticket) isCanceled() bool { return t.canceled != nil && t.canceled() != nil }
