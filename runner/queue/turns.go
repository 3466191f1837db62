package queue

import (
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
	t.claims = append(t.claims, name)
}

func (q *Queue) tick() uint64 {
	q.ticks++
	return q.ticks
}

// giveTurns gives all turns that are free.
func (q *Queue) giveTurns() {
	for q.counts.Working < q.workers && q.counts.Waiting > 0 {
		var next *client
		var name string
		var urgency float64 // of next
		now := time.Now()
		for n, c := range q.clients {
			if len(c.waiting) == 0 || next != nil && c.working > next.working {
				continue
			}
			u := q.urgency(c, now)
			if next == nil || c.working < next.working || u > urgency || u == urgency && c.since < next.since {
				name, next, urgency = n, c, u
			}
		}
		t := next.waiting[0]
		q.take(t, working)
		t.holder, t.began = name, time.Now()
		// The client may have been dropped with its last ticket.
		next.working++
		q.clients[name] = next
		q.counts.Working++
		q.counts.Turns++
		q.counts.Waited += t.began.Sub(t.came)
		close(t.decided)
	}
}

// urgency is how long the client's first request has waited, in multiples of how long one of its kind takes.
func (q *Queue) urgency(c *client, now time.Time) float64 {
	first := c.waiting[0]
	from := first.came
	if c.freed.After(from) {
		from = c.freed
	}
	return now.Sub(from).Seconds() / q.expected(first.kind).Seconds()
}

// expected is how long a turn for a request of that kind takes.
func (q *Queue) expected(kind string) time.Duration {
	if d, ok := q.kinds[kind]; ok {
		return d
	}
	return firstGuess
}

// learn takes into account how long a turn took.
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

// leave ends the turn or gives the place up, whichever the ticket has.
func (t *Ticket) leave() {
	q := t.queue
	switch t.state {
	case waiting:
		q.take(t, gone)
	case working:
		t.state = gone
		q.counts.Working--
		c := q.clients[t.holder]
		c.working--
		// At the end of the turn, not at its beginning: a client that came meanwhile has its turn before this one's next.
		c.since, c.freed = q.tick(), time.Now()
		q.drop(t.holder)
		if t.aborted == nil || t.aborted() == nil {
			q.learn(t.kind, time.Since(t.began))
		}
		q.giveTurns()
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
	estimate := min(q.service*time.Duration(turns)/time.Duration(q.workers), latest/2)
	// Whole seconds are what a client is told: a spread over less than one would spread nobody.
	estimate += rand.N(max(estimate, time.Second))
	return &Full{RetryAfter: (estimate + time.Second - 1).Truncate(time.Second)}
}
