package jobs

import (
	"context"
	"slices"
	"time"
)

// A Ticket is a request in the queue, until Wait fails or Leave is called.
type Ticket struct {
	queue  *Queue
	kind   string
	number uint64 // tick at which it joined

	// These are guarded by the queue's mutex.
	state     state
	came      time.Time     // when it joined, or was requeued after it had run for its allowance
	waits     time.Time     // since when it waits, or waited for the slot that it has
	decided   chan struct{} // closed when it has its slot or is refused
	claims    []string      // the clients whose request it is
	holder    string        // of them, the one to whom the slot was given
	began     time.Time     // when that was
	level     int           // how often it was preempted after it had run for its allowance
	preempted bool          // whether its slot is wanted for another
	long      bool          // whether it has run for its allowance, if preempted
	aborted   func() error  // of the context that Wait was given, not nil where its work was broken off
	end       context.CancelCauseFunc
	refusal   *Full
}

type state int

const (
	waiting state = iota
	working
	gone
)

// Share makes the ticket the client's too: its slot comes with the first slot of any of its clients. A request that several
// ask for takes one place, and does not wait for the one of them that asks for most. It may be called at any time.
func (t *Ticket) Share(name string) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	switch {
	case t.state == waiting:
		t.claim(name)
	case t.state == working && !slices.Contains(t.claims, name):
		t.claims = append(t.claims, name) // for when it is requeued
	}
}

// Position is how many requests wait now, this one among them, and 0 for one that has its slot. The slots of other clients
// decide whether it comes sooner or later than the last of so many.
func (t *Ticket) Position() int {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state != waiting {
		return 0
	}
	return t.queue.counts.Waiting
}

// Wait waits for the ticket's slot and returns the context of the work that is to be done in it. It ends with ctx, and with the
// cause ErrPreempted where the slot is wanted for another request: the work then ends as soon as it can, and calls Requeue. The
// error is a *Full where the ticket's place was given to another client meanwhile, and ctx's cause where ctx is done first. The
// ticket has left then.
//
// From how long work takes the queue learns how long requests of that kind take, but not from work that its client broke off:
// clients that give up would have what they ask for look short, and be let before others.
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
	t.aborted = ctx.Err
	switch {
	case t.refusal != nil:
		return nil, t.refusal
	case ctx.Err() != nil:
		// A slot that came at the same moment goes to the next.
		t.leave()
		return nil, context.Cause(ctx)
	}
	work, t.end = context.WithCancelCause(ctx)
	if t.preempted {
		t.end(ErrPreempted)
	}
	return work, nil
}

// Waited is how long the ticket waited for the slot that it has.
func (t *Ticket) Waited() time.Duration {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.began.Sub(t.waits)
}

// Requeue gives up a slot that is wanted for another request, and has the ticket wait again: Wait is to be called. It reports
// false, and does nothing, where the slot is not wanted or the client has given up.
func (t *Ticket) Requeue() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state != working || !t.preempted || t.isAborted() {
		return false
	}
	t.free()
	t.state, t.waits, t.decided = waiting, time.Now(), make(chan struct{})
	t.queue.counts.Waiting++
	if t.long {
		// It goes behind those that came meanwhile. One that had no time to run has its client's next slot.
		t.came, t.level, t.long = t.waits, t.level+1, false
	}
	claims := t.claims
	t.claims = nil
	for _, name := range claims {
		t.claim(name)
	}
	t.queue.giveSlots()
	return true
}

// Leave gives up the ticket's slot or its place. It may be called again, to no effect.
func (t *Ticket) Leave() {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.leave()
}

// isAborted reports whether the client gave up the work that is done for it.
func (t *Ticket) isAborted() bool { return t.aborted != nil && t.aborted() != nil }
