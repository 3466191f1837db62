// Package queue bounds how many requests work at once and how many wait for that. It shares its slots fairly between clients, and
// takes a slot back from a request that holds it for long while others wait.
package jobs

import (
	"fmt"
	"sync"
	"time"
)

// A Queue gives slots to requests. A request in a slot is worked on. Three well-known schemes decide which request has one.
//
// Between clients, max-min fairness: a free slot goes to one of the clients that hold the fewest.
//
// Between those, and between the requests of one client, highest response ratio next: the slot goes to the request with the longest
// wait, in multiples of how long a request of its kind takes. A short request does not wait behind long ones, and a long one has its
// slot in the end, because its ratio grows too. A client's wait begins anew when one of its requests leaves a slot.
//
// For requests that hold a slot while others wait, foreground-background scheduling with preemption, see preempt: a client with
// several slots gives up its newest to a client with none, and a request that has run for long gives up its slot to one that has
// not run yet. Work cannot be suspended, so a preempted request begins again later, with twice the time. All the work that is
// lost on a request is therefore less than twice the work that succeeds.
//
// A limit that one client meets binds only while others wait: alone, a client may hold every slot. A Queue is safe for concurrent use.
type Queue struct {
	workers, places int

	mu      sync.Mutex
	clients map[string]*client // those with requests that work or wait
	running []*Ticket          // those that have a slot, in the order in which they got it
	ending  int                // how many of these are preempted
	recheck *time.Timer        // for the next preemption; nil before the first
	counts  QueueCounts
	service time.Duration            // moving average of how long a turn takes
	kinds   map[string]time.Duration // the same for each kind, geometric: the few that reach a limit count for little
	ticks   uint64                   // counts events; gives an order
}

// QueueCounts tell what a queue does and did.
type QueueCounts struct {
	Waiting, Working int           // requests, now
	Refused          int           // requests, since the queue began; one that gave up is not refused
	Turns            int           // slots given, since the queue began
	Preempted        int           // requests that lost their slot to another, since the queue began
	Waited           time.Duration // by those that got a slot, in all
}

// A client is somebody who asks for slots.
type client struct {
	waiting []*Ticket // in the order in which they joined
	working int
	since   uint64    // tick at which it came, or at which one of its requests last left a slot
	freed   time.Time // when that was
}

// Full is the error of a request for which there is no place.
type Full struct {
	// RetryAfter is when there will be one, by an estimate: when about half of those that wait now will have had their turn,
	// and up to as much again, so that clients refused together do not return together. At least one second, at most half a minute.
	RetryAfter time.Duration
}

func (f *Full) Error() string {
	return fmt.Sprintf("too many requests are waiting: try again in %d s", int(f.RetryAfter/time.Second))
}

// New returns a queue in which up to workers requests work at once and up to places wait.
func NewQueue(workers, places int) *Queue {
	return &Queue{workers: workers, places: places, clients: map[string]*client{}, kinds: map[string]time.Duration{}, service: firstGuess}
}

const (
	// firstGuess is how long a request takes before one was measured.
	firstGuess = time.Second
	// smoothing is the weight of what was measured before against one new measurement.
	smoothing = 7

	// latestRetry bounds Full.RetryAfter.
	latestRetry = 30 * time.Second
)

// Join takes a place for a request of that kind, of the client with that name. With no place left, the client that holds most has
// its newest request refused instead, if it holds more than the newcomer's client would with this request: so no client can lock
// out another. Where it holds just as many, nobody would gain. The error is a *Full.
func (q *Queue) Join(name, kind string) (*Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counts.Waiting >= q.places && q.counts.Working >= q.workers {
		newest := q.newestOfMost(name)
		if newest == nil {
			return nil, q.refuse()
		}
		newest.refusal = q.refuse()
		q.take(newest, gone)
		close(newest.decided)
	}
	now := time.Now()
	t := &Ticket{queue: q, kind: kind, came: now, waits: now, number: q.tick(), decided: make(chan struct{})}
	q.counts.Waiting++
	t.claim(name)
	q.giveSlots()
	return t, nil
}

// QueueCounts returns what the queue does and did.
func (q *Queue) Counts() QueueCounts {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts
}
