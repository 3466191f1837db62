package jobs

import "context"

// ticketKey is the key of the Ticket in the context of its work.
type ticketKey struct{}

// Background moves the request whose work has this context to the background, so that its slot is free for another one.
// Work calls it before a part that takes long and runs at a low priority. The error is ErrPreempted if there
// is no room in the background; the work must then end, and is done anew once there is.
func Background(ctx context.Context) error {
	t, ok := ctx.Value(ticketKey{}).(*Ticket)
	if !ok {
		return nil // no slot
	}
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case t.state != working || t.background:
	case t.preempted:
		return ErrPreempted
	case q.backgroundRoom(q.taken() - 1):
		q.release(t, true)
		t.background = true
		q.hold(t, 1)
		q.grantSlots()
	default:
		q.preemptTicket(t)
		t.expired = true // however short its time was
		return ErrPreempted
	}
	return nil
}

// InBackground reports whether the work with this context is in the background.
func InBackground(ctx context.Context) bool {
	t, ok := ctx.Value(ticketKey{}).(*Ticket)
	if !ok {
		return false
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.background
}
