package queue

import (
	"context"
	"time"
)

// A Ticket is a request in the queue, until Wait fails or Leave is called.
type Ticket struct {
	queue   *Queue
	kind    string
	came    time.Time
	number  uint64        // tick at which it came
	decided chan struct{} // closed when it has its turn or is refused

	// These are guarded by the queue's mutex.
	state   state
	claims  []string // the clients whose request it is
	holder  string   // of them, the one to whom the turn was given
	began   time.Time
	aborted func() error // of the context that Wait was given, not nil where its work was broken off
	refusal *Full
}

type state int

const (
	waiting state = iota
	working
	gone
)

// Share makes the ticket the client's too: its turn comes with the first turn of any of its clients. A request that several
// ask for takes one place, and does not wait for the one of them that asks for most. It may be called at any time.
func (t *Ticket) Share(name string) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state == waiting {
		t.claim(name)
	}
}

// Position is how many requests wait now, this one among them, and 0 for one that has its turn. The turns of other clients
// decide whether it comes sooner or later than the last of so many.
func (t *Ticket) Position() int {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.state != waiting {
		return 0
	}
	return t.queue.counts.Waiting
}

// Wait waits for the ticket's turn and returns how long that took. The error is a *Full where its place was given to another
// client meanwhile, and ctx's cause where ctx is done first. The ticket has left then.
//
// From how long turns take the queue learns how long requests of that kind take, but not from one whose ctx is done when it
// ends: clients that give up would have what they ask for look short, and be let before others.
func (t *Ticket) Wait(ctx context.Context) (time.Duration, error) {
	select {
	case <-t.decided:
	case <-ctx.Done():
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.aborted = ctx.Err
	switch {
	case t.refusal != nil:
		return 0, t.refusal
	case ctx.Err() != nil:
		// A turn that came at the same moment goes to the next.
		t.leave()
		return 0, context.Cause(ctx)
	}
	return t.began.Sub(t.came), nil
}

// Leave ends the ticket's turn, or gives its place up. It may be called again, to no effect.
func (t *Ticket) Leave() {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.leave()
}
