package jobs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// All of this file is called with the queue's mutex held.

// claim puts the ticket into the client's line too.
func (t *Ticket) claim(name string) {
	if slices.Contains(t.claims, name) {
		return
	}
	c := t.queue.clients[name]
	if c == nil {
		c = &client{since: t.queue.tick(), freed: time.Now()}
		t.queue.clients[name] = c
	}
	c.waiting = append(c.waiting, t)
	slices.SortFunc(c.waiting, func(a, b *Ticket) int { return cmp.Compare(a.number, b.number) })
	t.claims = append(t.claims, name)
}

func (q *Queue) tick() uint64 {
	q.ticks++
	return q.ticks
}

// giveSlots gives all slots that are free, and sees to it that others become free in time.
func (q *Queue) giveSlots() {
	for q.counts.Working < q.workers && q.counts.Waiting > 0 {
		var next *client
		var name string
		var ticket *Ticket  // of next
		var urgency float64 // of ticket
		now := time.Now()
		for n, c := range q.clients {
			if len(c.waiting) == 0 || next != nil && c.working > next.working {
				continue
			}
			t := q.first(c, now)
			u := q.ratio(t, latest(t.came, c.freed), now)
			if next == nil || c.working < next.working || u > urgency || u == urgency && c.since < next.since {
				name, next, ticket, urgency = n, c, t, u
			}
		}
		q.take(ticket, working)
		ticket.holder, ticket.began = name, now
		// The client may have been dropped with its last ticket.
		next.working++
		q.clients[name] = next
		q.running = append(q.running, ticket)
		q.counts.Working++
		q.counts.Turns++
		q.counts.Waited += now.Sub(ticket.waits)
		close(ticket.decided)
	}
	q.preempt()
}

// first returns the ticket of the client's that is to have a slot next.
func (q *Queue) first(c *client, now time.Time) *Ticket {
	return slices.MaxFunc(c.waiting, func(a, b *Ticket) int {
		return cmp.Compare(q.ratio(a, a.came, now), q.ratio(b, b.came, now))
	})
}

// ratio is how long the ticket has waited, in multiples of how long it will take.
func (q *Queue) ratio(t *Ticket, since, now time.Time) float64 {
	takes := q.expected(t.kind)
	if t.level > 0 {
		takes = q.allowance(t) // it has run for half of this to no end
	}
	return now.Sub(since).Seconds() / takes.Seconds()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// expected is how long a request of that kind takes, once it has a slot.
func (q *Queue) expected(kind string) time.Duration {
	if d, ok := q.kinds[kind]; ok {
		return d
	}
	return firstGuess
}

// learn takes into account how long a request took.
func (q *Queue) learn(kind string, took time.Duration) {
	took = max(took, time.Millisecond)
	q.service = (q.service*smoothing + took) / (smoothing + 1)
	before := q.expected(kind).Seconds()
	q.kinds[kind] = time.Duration(before * math.Pow(took.Seconds()/before, 1./(smoothing+1)) * float64(time.Second))
}

// take takes a ticket that waits out of its clients' lines.
func (q *Queue) take(t *Ticket, becomes state) {
	for _, name := range t.claims {
		c := q.clients[name]
		i := slices.Index(c.waiting, t)
		c.waiting = slices.Delete(c.waiting, i, i+1)
		q.drop(name)
	}
	t.state = becomes
	q.counts.Waiting--
}

// drop forgets a client that has no requests.
func (q *Queue) drop(name string) {
	if c := q.clients[name]; len(c.waiting) == 0 && c.working == 0 {
		delete(q.clients, name)
	}
}

// leave gives up the slot or the place, whichever the ticket has.
func (t *Ticket) leave() {
	switch t.state {
	case waiting:
		t.queue.take(t, gone)
	case working:
		t.free()
		t.state = gone
		t.queue.drop(t.holder)
		t.queue.giveSlots()
	}
}

// free gives up the ticket's slot.
func (t *Ticket) free() {
	q := t.queue
	q.counts.Working--
	q.running = slices.DeleteFunc(q.running, func(r *Ticket) bool { return r == t })
	c := q.clients[t.holder]
	c.working--
	// At the end, not at the beginning: a client that came meanwhile has a slot before this one's next.
	c.since, c.freed = q.tick(), time.Now()
	took := time.Since(t.began)
	// A preempted request would have taken longer, so it teaches only where that is already longer than expected.
	if !t.isAborted() && (!t.preempted || took > q.expected(t.kind)) {
		q.learn(t.kind, took)
	}
	if t.preempted {
		t.preempted = false
		q.ending--
	}
	if t.end != nil {
		t.end(nil)
		t.end = nil
	}
}

// newestOfMost returns the newest waiting ticket of the client that has most for itself alone, where that is more than the
// client named would have with one more; else nil.
func (q *Queue) newestOfMost(name string) *Ticket {
	own := 0
	if c := q.clients[name]; c != nil {
		own = len(c.waiting)
	}
	most := own + 1
	var newest *Ticket
	for n, c := range q.clients {
		if n == name {
			continue
		}
		alone, last := 0, (*Ticket)(nil)
		for _, t := range c.waiting {
			if len(t.claims) == 1 {
				alone, last = alone+1, t
			}
		}
		if alone > most || alone == most && newest != nil && last.number > newest.number {
			most, newest = alone, last
		}
	}
	return newest
}

// refuse counts a refusal and says when to come again.
func (q *Queue) refuse() *Full {
	q.counts.Refused++
	turns := 1 + q.counts.Waiting/2
	estimate := min(q.service*time.Duration(turns)/time.Duration(q.workers), latestRetry/2)
	// Whole seconds are what a client is told: a spread over less than one would spread nobody.
	estimate += rand.N(max(estimate, time.Second))
	return &Full{RetryAfter: (estimate + time.Second - 1).Truncate(time.Second)}
}
