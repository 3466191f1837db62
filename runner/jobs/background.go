package jobs

// Background moves the job to the background, so that its slot is free for another one. Work calls it before a part
// that takes long and runs at a low priority. The error is ErrPreempted if there is no room in the background; the work
// must then end, and is done anew once there is.
func (s *Slot) Background() error {
	if s.ticket != nil {
		if err := s.ticket.moveToBackground(); err != nil {
			return err
		}
	}
	if s.OnBackground != nil {
		s.OnBackground()
	}
	return nil
}

// InBackground reports whether the job is in the background.
func (s *Slot) InBackground() bool { return s.ticket != nil && s.ticket.inBackground() }

// moveToBackground frees the ticket's slot if there is room in the background, and returns ErrPreempted if not.
func (t *Ticket) moveToBackground() error {
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

func (t *Ticket) inBackground() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.background
}
