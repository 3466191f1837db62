// Package queue bounds how many requests work at once and how many wait for that, and shares the turns out fairly between
// clients: whoever asks for much waits behind whoever asks for little.
package queue

import (
	"fmt"
	"sync"
	"time"
)

// A Queue gives turns. The next turn goes to one of the clients with the fewest requests being worked on; within a client, to the
// request that came first. Between these clients it goes to the one that has waited for longest, since its request came or its
// last turn ended, in multiples of how long a request of that kind takes: what is done in a moment does not wait behind what takes
// long, and what takes long has its turn all the same ("highest response ratio next"). A Queue is safe for concurrent use.
type Queue struct {
	workers, places int

	mu      sync.Mutex
	clients map[string]*client // those with requests that work or wait
	counts  Counts
	service time.Duration            // moving average of how long a turn takes
	kinds   map[string]time.Duration // the same for each kind, geometric: the few that reach a limit count for little
	ticks   uint64                   // counts events; gives an order
}

// Counts tell what a queue does and did.
type Counts struct {
	Waiting, Working int           // requests, now
	Refused          int           // requests, since the queue began; one that gave up is not refused
	Turns            int           // turns given, since the queue began
	Waited           time.Duration // by those that got a turn, in all
}

// A client is somebody who asks for turns.
type client struct {
	waiting []*Ticket // in the order in which they came
	working int
	since   uint64    // tick at which it came, or at which its last turn ended
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
func New(workers, places int) *Queue {
	return &Queue{workers: workers, places: places, clients: map[string]*client{}, kinds: map[string]time.Duration{}, service: firstGuess}
}

const (
	// firstGuess is how long a turn takes before one was measured.
	firstGuess = time.Second
	// smoothing is the weight of what was measured before against one new measurement.
	smoothing = 7

	// latest bounds Full.RetryAfter.
	latest = 30 * time.Second
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
	t := &Ticket{queue: q, kind: kind, came: time.Now(), number: q.tick(), decided: make(chan struct{})}
	q.counts.Waiting++
	t.claim(name)
	q.giveTurns()
	return t, nil
}

// Counts returns what the queue does and did.
func (q *Queue) Counts() Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts
}
