package jobs

import (
	"fmt"
	"sync"
	"time"
)

// A Queue limits how many requests are worked on at the same time, and how many wait for that. A request that is worked
// on has one of the queue's slots, or is in the background. Three well-known algorithms decide which request has a
// slot.
//
// Between clients, max-min fairness: a free slot goes to one of the clients that have the fewest slots.
//
// Between those clients, and between the requests of one client, highest response ratio next: the slot goes to the
// request whose wait is the longest multiple of how long a request of its kind takes. A short request does not wait
// behind long ones, and a long request gets its slot eventually, because its ratio grows too. A client's wait starts
// anew when one of its requests leaves a slot.
//
// For requests that hold a slot while others wait, foreground-background scheduling with preemption: a client with
// several slots gives up its newest to a client with none, and a request that has run for a long time gives up its
// slot to one that has not run yet, and is in the background from then on. Work inside the server cannot be suspended,
// so a preempted request starts again later. Work that knows that it will take long moves to the background and goes
// on.
//
// Requests in the background do not count for slots, and are not preempted. Their processes, which are the compilers,
// confined checks and programs, have a low priority of the operating system, so that they take what the others leave.
// A job inside the server's process, such as a check as WebAssembly, has no priority of its own. The background has
// room for half as many requests as this machine has slots, or for as many as are free if that is more.
//
// No limit applies to a client while no other client waits: it may hold every slot. A Queue is safe for concurrent use.
type Queue struct {
	capacity int // requests that may wait
	own      int // slots of this machine, on which all work in the background is done

	mu      sync.Mutex
	slots   int                // requests that may be worked on, here or elsewhere
	clients map[string]*client // clients with requests that have a slot or wait
	running []*Ticket          // requests that are worked on, in the order in which that began
	ending  int                // how many of these are preempted
	recheck *time.Timer        // for the next preemption; nil before the first
	counts  QueueCounts
	service time.Duration            // moving average of how long requests hold a slot
	kinds   map[string]time.Duration // the same for each kind; geometric, so that the few at a limit count for little
	ticks   uint64                   // counts events, which gives them an order
}

// QueueCounts are the requests in a queue, and totals since the queue was made.
type QueueCounts struct {
	Waiting, Working int           // current requests that wait, and that are worked on
	Background       int           // how many of the latter are in the background
	Refused          int           // total of requests for which there was no room
	Granted          int           // total of slots given to requests, those in the background included
	Preempted        int           // total of slots taken from requests
	Waited           time.Duration // total time that requests waited for the granted slots
}

// A client has requests in the queue.
type client struct {
	waiting    []*Ticket // in the order in which they joined
	working    int       // slots that it holds
	background int       // its requests that are worked on in the background
	since      uint64    // tick at which it joined, or at which one of its requests last left a slot
	freed      time.Time // time of that tick
}

// Full is the error for a request for which the queue has no room.
type Full struct {
	// RetryAfter estimates when the queue will have room: when about half of the waiting requests have had a slot. A
	// random time of up to as much again is added, so that clients that are refused together do not return together.
	// It is a whole number of seconds, from 1 to 30.
	RetryAfter time.Duration
}

func (f *Full) Error() string {
	return fmt.Sprintf("too many requests are waiting: try again in %d s", int(f.RetryAfter/time.Second))
}

// NewQueue returns a queue in which up to slots requests are worked on at the same time, beside those in the
// background, and up to capacity others wait.
func NewQueue(slots, capacity int) *Queue {
	return &Queue{
		slots: slots, own: slots, capacity: capacity,
		clients: map[string]*client{}, kinds: map[string]time.Duration{}, service: initialEstimate,
	}
}

// SetSlots changes how many requests are worked on at the same time, for a machine that has help from others. With
// fewer slots than before, no request loses its slot: the next ones wait until enough of them have ended.
func (q *Queue) SetSlots(slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slots = slots
	q.grantSlots()
}

const (
	// initialEstimate is how long a request is expected to take before any has been measured.
	initialEstimate = time.Second
	// smoothing is the weight of an average of earlier measurements; a new measurement has the weight 1.
	smoothing = 7

	// maxRetryAfter bounds Full.RetryAfter.
	maxRetryAfter = 30 * time.Second
)

// Join adds a request of the given client and kind. If the queue has no room, Join refuses the newest request of the
// client that has the most waiting requests instead, provided that it has more than this client would have with the
// new one: no client can lock out another. Otherwise the error is a *Full.
func (q *Queue) Join(name, kind string) (*Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counts.Waiting >= q.capacity && q.taken() >= q.slots {
		newest := q.newestOfLargest(name)
		if newest == nil {
			return nil, q.refuse()
		}
		newest.refusal = q.refuse()
		q.remove(newest, left)
		close(newest.decided)
	}
	now := time.Now()
	t := &Ticket{queue: q, kind: kind, joined: now, waitsSince: now, number: q.tick(), decided: make(chan struct{})}
	q.counts.Waiting++
	t.addClient(name)
	q.grantSlots()
	return t, nil
}

// Crowded reports whether a request waits for a slot. Requests that wait for room in the background do not count.
func (q *Queue) Crowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.clients {
		for _, t := range c.waiting {
			if !t.background {
				return true
			}
		}
	}
	return false
}

// Counts returns the queue's current counts.
func (q *Queue) Counts() QueueCounts {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts
}
