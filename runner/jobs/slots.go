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

// taken returns how many slots are taken.
func (q *Queue) taken() int { return q.counts.Working - q.counts.Background }

// backgroundRoom reports whether one more request may be worked on in the background, while taken slots are taken.
func (q *Queue) backgroundRoom(taken int) bool {
	return q.counts.Background < max((q.own+1)/2, q.own-taken)
}

// grantSlots gives each free slot to the request that is next, does the same in the background, and then preempts a
// running request if one is due.
func (q *Queue) grantSlots() {
	for q.taken() < q.slots && q.grant(false) {
	}
	for q.backgroundRoom(q.taken()) && q.grant(true) {
	}
	q.preempt()
}

// grant begins the work of the request that is next, of those in the background or of the others. It reports whether
// there is one.
func (q *Queue) grant(background bool) bool {
	var next *client
	var name string
	var ticket *Ticket  // of next
	var urgency float64 // of ticket
	now := time.Now()
	for n, c := range q.clients {
		t := q.first(c, background, now)
		if t == nil || next != nil && *c.held(background) > *next.held(background) {
			continue
		}
		u := q.ratio(t, latest(t.joined, c.freed), now)
		if next == nil || *c.held(background) < *next.held(background) || u > urgency ||
			u == urgency && c.since < next.since {
			name, next, ticket, urgency = n, c, t, u
		}
	}
	if next == nil {
		return false
	}
	q.remove(ticket, working)
	ticket.holder, ticket.started = name, now
	// remove has forgotten the client if this was its only request.
	q.clients[name] = next
	q.running = append(q.running, ticket)
	q.hold(ticket, 1)
	q.counts.Granted++
	q.counts.Waited += now.Sub(ticket.waitsSince)
	close(ticket.decided)
	return true
}

// held returns the count of the client's requests that are worked on, in the background or with a slot.
func (c *client) held(background bool) *int {
	if background {
		return &c.background
	}
	return &c.working
}

// hold adds n to the counts of requests that are worked on: those of the queue and those of t's holder.
func (q *Queue) hold(t *Ticket, n int) {
	*q.clients[t.holder].held(t.background) += n
	q.counts.Working += n
	if t.background {
		q.counts.Background += n
	}
}

// first returns the client's waiting request with the highest response ratio, of those in the background or of the
// others; nil if there is none.
func (q *Queue) first(c *client, background bool, now time.Time) (first *Ticket) {
	var most float64
	for _, t := range c.waiting {
		if t.background != background {
			continue
		}
		if r := q.ratio(t, t.joined, now); first == nil || r > most {
			first, most = t, r
		}
	}
	return first
}

// ratio returns the request's response ratio: the time that it has waited, divided by the time that it is expected to
// take.
func (q *Queue) ratio(t *Ticket, since, now time.Time) float64 {
	return now.Sub(since).Seconds() / q.expected(t.kind).Seconds()
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
	if c := q.clients[name]; len(c.waiting) == 0 && c.working+c.background == 0 {
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
	q.running = slices.DeleteFunc(q.running, func(r *Ticket) bool { return r == t })
	q.release(t, t.preempted)
	if t.preempted {
		t.preempted = false
		q.ending--
	}
	if t.end != nil {
		t.end(nil)
		t.end = nil
	}
}

// release stops counting t among the requests that are worked on. interrupted is true if its work has not ended.
func (q *Queue) release(t *Ticket, interrupted bool) {
	q.hold(t, -1)
	if t.background {
		return // its time depends on what the others leave
	}
	// The client's wait starts at the end of this request, so that a client that joined meanwhile gets a slot before
	// this one's next request does.
	c := q.clients[t.holder]
	c.since, c.freed = q.tick(), time.Now()
	took := time.Since(t.started)
	// Work that was interrupted would have taken longer, so its time is a measurement only if it is longer than
	// expected already.
	if !t.isCanceled() && (!interrupted || took > q.expected(t.kind)) {
		q.learn(t.kind, took)
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
