package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Limits of the submissions that a process has taken from the journal, which are in its memory. Those of somebody who
// hands in after maxTaken others wait in the journal, where it is not their turn.
const (
	maxTaken      = 1000
	maxTakenBytes = 32 << 20 // beyond this, no more are taken
)

const (
	// overtime is how long a grading counts toward those at the same time. One that takes longer is probably an endless
	// loop, for which others would wait until its time limit, or for as many of them as there are in a room.
	overtime = 5 * time.Second
	// OvertimeFactor is how many times as many participants have a submission graded at the same time, with those in
	// overtime.
	OvertimeFactor = 4
)

// A taken is a submission that this process has taken from the journal. Nobody else gets it until it is done.
type taken struct {
	message   jetstream.Msg
	sequence  uint64 // in the journal
	size      int    // of the message and of the files, in bytes
	delivered uint64 // how often it was given to a worker
	task      Task
	err       error // why the task is not known
	done      context.CancelFunc
	overtime  bool // whether it is graded in overtime
}

// client returns whose turn it is to have the submission graded.
func (t *taken) client() string { return t.task.Room + "/" + t.task.Participant }

// turns decides whose submission is graded next, as the queue does for checks: one participant with many submissions,
// each of which takes long, costs the others no more than one with one. Each participant has one submission graded at a
// time, and of those who wait, the one who has waited longest since their last is next.
type turns struct {
	atOnce int  // participants whose submissions are graded at the same time, beside those in overtime
	alone  bool // whether no other process grades
	grade  func(*taken)

	mu      sync.Mutex
	waiting []*taken          // in the order of the journal
	running map[string]*taken // by client
	last    map[string]uint64 // by client with submissions here: the turn that they had last
	turn    uint64            // counts turns
	freed   chan struct{}     // has an element once one has ended
	working sync.WaitGroup
}

func newTurns(atOnce int, grade func(*taken)) *turns {
	return &turns{atOnce: atOnce, grade: grade, running: map[string]*taken{}, last: map[string]uint64{},
		freed: make(chan struct{}, 1)}
}

// await waits until another submission is wanted. A process that grades alone takes whatever there is, since it cannot
// know whose turn it is of participants whose submissions it does not have. One of several leaves to the others what it
// would not grade now: it waits until it has submissions of fewer participants than it grades at the same time.
func (q *turns) await(ctx context.Context) error {
	for !q.wanting() {
		select {
		case <-q.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (q *turns) wanting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	clients := map[string]bool{}
	size := 0
	for _, t := range q.waiting {
		clients[t.client()] = true
		size += t.size
	}
	for name, t := range q.running {
		clients[name] = true
		size += t.size
	}
	return len(q.waiting)+len(q.running) < maxTaken && size < maxTakenBytes && (q.alone || len(clients) < q.atOnce)
}

// add begins to grade a submission, now or when it is its turn. It reports whether the submission is new here: the
// server delivers it again if it has not heard for long that it is under way.
func (q *turns) add(t *taken) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	same := func(other *taken) bool { return other.sequence == t.sequence }
	for _, other := range q.running {
		if same(other) {
			return false
		}
	}
	if slices.ContainsFunc(q.waiting, same) {
		return false
	}
	q.waiting = append(q.waiting, t)
	q.begin()
	return true
}

// begin begins to grade the submission whose turn it is, if there is one. The mutex is held.
func (q *turns) begin() {
	if next := q.next(); next != nil {
		q.working.Go(func() { q.work(next) })
	}
}

// next takes the submission whose turn it is, or returns nil. The mutex is held.
func (q *turns) next() (next *taken) {
	inTime := 0
	for _, t := range q.running {
		if !t.overtime {
			inTime++
		}
	}
	if inTime >= q.atOnce || len(q.running) >= OvertimeFactor*q.atOnce {
		return nil
	}
	for _, t := range q.waiting {
		if q.running[t.client()] == nil && (next == nil || q.last[t.client()] < q.last[next.client()]) {
			next = t
		}
	}
	if next == nil {
		return nil
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(t *taken) bool { return t == next })
	q.turn++
	q.running[next.client()], q.last[next.client()] = next, q.turn
	return next
}

// work grades a submission, and then others as long as it is their turn.
func (q *turns) work(t *taken) {
	for t != nil {
		func(t *taken) {
			defer t.done()
			timer := time.AfterFunc(overtime, func() { q.overrun(t) })
			defer timer.Stop()
			q.grade(t)
		}(t)
		q.mu.Lock()
		name := t.client()
		delete(q.running, name)
		if !slices.ContainsFunc(q.waiting, func(other *taken) bool { return other.client() == name }) {
			delete(q.last, name)
		}
		t = q.next()
		q.mu.Unlock()
		select {
		case q.freed <- struct{}{}:
		default: // await has not looked since the last one
		}
	}
}

// overrun notes that a grading is in overtime, and begins another one beside it.
func (q *turns) overrun(t *taken) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running[t.client()] == t {
		t.overtime = true
		q.begin()
	}
}

// wait waits until no submission is left.
func (q *turns) wait() { q.working.Wait() }
