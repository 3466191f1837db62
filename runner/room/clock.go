package room

import "time"

// skew is by how much the clocks of a cluster's servers may differ.
const skew = time.Minute

// at returns the time of the next event, by the clock of the server that wrote it. Times in a room never go back: an
// event that is a little earlier than the one before it, from a server whose clock is behind, has the time of the one
// before. If it is earlier by more than skew, the clock was ahead and has been set back. Then the times of earlier
// events are set back to the time of the event; otherwise the room's time would stand still until the clock reached it.
func (r *Room) at(t time.Time) time.Time {
	switch {
	case !t.Before(r.Time):
		r.Time = t
	case r.Time.Sub(t) > skew:
		r.setBack(t)
	}
	return r.Time
}

// setBack sets all times after t to t. The deadline stays, because the instructor has set it.
func (r *Room) setBack(t time.Time) {
	back := func(at *time.Time) {
		if at.After(t) {
			*at = t
		}
	}
	back(&r.Time)
	back(&r.EndedAt)
	for _, p := range r.Participants {
		back(&p.Joined)
		back(&p.Raised)
		for _, w := range p.Work {
			back(&w.Changed)
		}
	}
	for _, q := range r.Questions {
		back(&q.Asked)
	}
	for _, s := range r.Submissions {
		back(&s.Time)
		back(&s.Queued)
	}
}
