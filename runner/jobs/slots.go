package jobs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// This file decides the order in which requests get slots. The queue's mutex must be held for everything in it.

// addClient makes the request also one of the named client's waiting requests.
func (t *Ticket) addClient(name string) {
	if slices.Contains(t.clients, name) {
		return
	}
	c := t.queue.clients[name]
	if c == nil {
		c = &client{since: t.queue.tick(), freed: time.Now()}
		t.queue.clients[name] = c
	}
	c.waiting = append(c.waiting, t)
	slices.SortFunc(c.waiting, func(a, b *Ticket) int { return cmp.Compare(a.number, b.number) })
	t.clients = append(t.clients, name)
}

// tick returns the number of the next event.
func (q *Queue) tick() uint64 {
	q.ticks++
	return q.ticks
}

// grantSlots gives each free slot to the request that is next, and then preempts a running request if one is due.
func (q *Queue) grantSlots() {
	for q.counts.Working < q.slots && q.counts.Waiting > 0 {
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
			u := q.ratio(t, latest(t.joined, c.freed), now)
			if next == nil || c.working < next.working || u > urgency || u == urgency && c.since < next.since {
				name, next, ticket, urgency = n, c, t, u
			}
		}
		q.remove(ticket, working)
		ticket.holder, ticket.started = name, now
		// remove has forgotten the client if this was its only request.
		next.working++
		q.clients[name] = next
		q.running = append(q.running, ticket)
		q.counts.Working++
		q.counts.Granted++
		q.counts.Waited += now.Sub(ticket.waitsSince)
		close(ticket.decided)
	}
	q.preempt()
}

// first returns the client's waiting request with the highest response ratio.
func (q *Queue) first(c *client, now time.Time) *Ticket {
	return slices.MaxFunc(c.waiting, func(a, b *Ticket) int {
		return cmp.Compare(q.ratio(a, a.joined, now), q.ratio(b, b.joined, now))
	})
}

// longWeight multiplies the time that a request is expected to take after it was preempted for its allowance. Such a
// request most likely ends at the limit of its time, so it waits while many short ones come, and still gets its slot
// eventually. Measured with a class in which every tenth request never ends: with 1, 95 of 100 programs of the others
// are answered within 16 s, with 4 within 6 s.
const longWeight = 4

// ratio returns the request's response ratio: the time that it has waited, divided by the time that it is expected to
// take.
func (q *Queue) ratio(t *Ticket, since, now time.Time) float64 {
	takes := q.expected(t.kind)
	if t.level > 0 {
		takes = longWeight * q.allowance(t)
	}
	return now.Sub(since).Seconds() / takes.Seconds()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// expected returns how long a request of that kind is expected to hold a slot.
func (q *Queue) expected(kind string) time.Duration {
	if d, ok := q.kinds[kind]; ok {
		return d
	}
	return initialEstimate
}

// learn adds a measurement of how long a request of that kind held its slot.
func (q *Queue) learn(kind string, took time.Duration) {
	took = max(took, time.Millisecond)
	q.service = (q.service*smoothing + took) / (smoothing + 1)
	before := q.expected(kind).Seconds()
	q.kinds[kind] = time.Duration(before * math.Pow(took.Seconds()/before, 1./(smoothing+1)) * float64(time.Second))
}

// remove removes a waiting request from its clients' waiting requests.
func (q *Queue) remove(t *Ticket, becomes state) {
	for _, name := range t.clients {
		c := q.clients[name]
		i := slices.Index(c.waiting, t)
		c.waiting = slices.Delete(c.waiting, i, i+1)
		q.forget(name)
	}
	t.state = becomes
	q.counts.Waiting--
}

// forget removes a client that has no requests.
func (q *Queue) forget(name string) {
	if c := q.clients[name]; len(c.waiting) == 0 && c.working == 0 {
		delete(q.clients, name)
	}
}

// leave removes the request from the queue, and frees its slot if it has one.
func (t *Ticket) leave() {
	switch t.state {
	case waiting:
		t.queue.remove(t, left)
	case working:
		t.free()
		t.state = left
		t.queue.forget(t.holder)
		t.queue.grantSlots()
	}
}

// free frees the request's slot.
func (t *Ticket) free() {
	q := t.queue
	q.counts.Working--
	q.running = slices.DeleteFunc(q.running, func(r *Ticket) bool { return r == t })
	c := q.clients[t.holder]
	c.working--
	// The client's wait starts at the end of this request, so that a client that joined meanwhile gets a slot before
	// this one's next request does.
	c.since, c.freed = q.tick(), time.Now()
	took := time.Since(t.started)
	// A preempted request would have taken longer, so its time is a measurement only if it is longer than expected
	// already.
	if !t.isCanceled() && (!t.preempted || took > q.expected(t.kind)) {
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

// newestOfLargest returns the newest waiting request of the client with the most waiting requests, of which only
// those count that no other client shares. It returns nil if the named client would have as many with one more
// request.
func (q *Queue) newestOfLargest(name string) *Ticket {
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
			if len(t.clients) == 1 {
				alone, last = alone+1, t
			}
		}
		if alone > most || alone == most && newest != nil && last.number > newest.number {
			most, newest = alone, last
		}
	}
	return newest
}

// refuse counts a refusal and returns its error.
func (q *Queue) refuse() *Full {
	q.counts.Refused++
	requests := 1 + q.counts.Waiting/2
	estimate := min(q.service*time.Duration(requests)/time.Duration(q.slots), maxRetryAfter/2)
	// The random part is at least a second, because Retry-After counts whole seconds.
	estimate += rand.N(max(estimate, time.Second))
	return &Full{RetryAfter: (estimate + time.Second - 1).Truncate(time.Second)}
}
