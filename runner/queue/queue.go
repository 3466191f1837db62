// Package queue decides which of the runner's requests are worked on, in which order, and for how long.
//
// A [Request] is what one client asks for. [Queue.Do] answers it from the cached answers, together with equal requests
// that are under way, or by doing its work. A [Task] is that work, with all the clients that wait for it: task.go has
// its life from joining the queue to its answer. The order in which tasks get slots is in order.go, the rules by which
// a running task loses its slot are in preempt.go.
package queue

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// A Queue limits how many tasks are worked on at the same time, and how many wait for that. A task that is worked on
// has one of the queue's slots, or is in the background. Three well-known algorithms decide which task has a slot.
//
// Between clients, max-min fairness: a free slot goes to one of the clients that have the fewest slots.
//
// Between those clients, and between the tasks of one client, highest response ratio next: the slot goes to the task
// whose wait is the longest multiple of how long a task of its kind takes. A short request does not wait behind long
// ones, and a long request gets its slot eventually, because its ratio grows too. A client's wait starts anew when one
// of its tasks leaves a slot.
//
// For tasks that hold a slot while others wait, foreground-background scheduling with preemption: a client with several
// slots gives up its newest to a client with none, and a task that has run for a long time gives up its slot to one
// that has not run yet, and is in the background from then on. Work inside the server cannot be suspended, so a
// preempted task starts again later. Work that knows that it will take long moves to the background and goes on.
//
// Tasks in the background do not count for slots, and are not preempted. Their processes, which are the compilers,
// confined checks and programs, have a low priority of the operating system, so that they take what the others leave.
// A task inside the server's process, such as a check as WebAssembly, has no priority of its own. The background has
// room for half as many tasks as this machine has slots, or for as many as are free if that is more.
//
// No limit applies to a client while no other client waits: it may hold every slot. A Queue is safe for concurrent use.
type Queue struct {
	// Waited, unless nil, is called with the time that a task waited for a slot, each time that it gets one.
	Waited func(time.Duration)

	capacity int                       // tasks that may wait
	local    int                       // slots of this machine, on which all work in the background is done
	answers  *otter.Cache[Key, Answer] // nil if none are stored

	mu      sync.Mutex
	slots   int                      // tasks that may be worked on, here or elsewhere
	tasks   map[Key]*Task            // that further requests can join
	waiting []*Task                  // in the order in which they joined
	running []*Task                  // that are worked on, in the order in which that began
	clients map[string]*client       // with tasks that wait or are worked on
	recheck *time.Timer              // for the next preemption; nil before the first
	counts  Counts                   // the totals; see Counts
	service time.Duration            // moving average of how long tasks hold a slot
	kinds   map[string]time.Duration // the same for each kind; geometric, so that the few at a limit count for little
	ticks   uint64                   // counts events, which gives them an order
	active  int                      // number of all tasks, also of tasks that no request can join or waits for
	ended   sync.Cond                // signaled when a task ends
}

// New returns a queue in which up to slots tasks are worked on at the same time, beside those in the background, and up
// to capacity others wait. It stores answers of up to cached bytes together; with 0 it stores none.
func New(slots, capacity int, cached uint64) (*Queue, error) {
	q := &Queue{slots: slots, local: slots, capacity: capacity, tasks: map[Key]*Task{}, clients: map[string]*client{},
		kinds: map[string]time.Duration{}, service: initialEstimate}
	q.ended.L = &q.mu
	if cached == 0 {
		return q, nil
	}
	// Package otter chooses which answers to evict, by how recently and how often they were used.
	var err error
	q.answers, err = otter.New(&otter.Options[Key, Answer]{MaximumWeight: cached, Weigher: weigh,
		StatsRecorder: stats.NewCounter()})
	return q, err
}

// A Request is what a client asks for, if that costs processor time.
type Request struct {
	Client string // identifies the client; a Queue shares its slots fairly between clients
	Kind   string // requests of one kind take about equally long; the route of the request
	// Key identifies everything that the answer depends on. The zero Key is for a request whose answer is neither
	// cached nor shared.
	Key  Key
	Work Work
	// Notify, unless nil, is called with the events of the work, one after the other and before Do returns.
	Notify func(Event)
}

// Work does a task in a slot. It must end soon once ctx is done, which happens when no client waits for the answer any
// more, or when the slot goes to another task: the cause is ErrPreempted, and the work is done anew later, with the
// same Task.
type Work func(ctx context.Context, t *Task) (Result, error)

// A Result is what work returns.
type Result struct {
	Value any // encoded as JSON
	// Transient means that the same work may have another result next time, because it reached a limit of time or of
	// the machine. Transient results are not cached.
	Transient bool
}

// An Answer is the answer to a request. Several clients share it, so that it must not be modified.
type Answer struct {
	Body        []byte        // JSON
	Transient   bool          // see Result
	CacheStatus CacheStatus   // where it came from; "" if the request has no Key
	Waited      time.Duration // how long the work waited for slots; 0 if it was done for another request

	stages []Event // replayed to clients that get the stored answer
}

// An Event reports the progress of a task. A server-sent event has the same name and data.
type Event struct{ Name, Data string }

// Names of events.
const (
	EventQueued  = "queued"  // {"position":3}
	EventStage   = "stage"   // {"stage":"build"}
	EventPicture = "picture" // the steps of a program whose allocations are still being counted: a step.Document
)

// Stage returns the event that a stage is complete.
func Stage(name string) Event { return newEvent(EventStage, stageData{name}) }

func newEvent(name string, data any) Event {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return Event{name, string(text)}
}

// queuedData is the data of EventQueued.
type queuedData struct {
	Position int `json:"position"` // the number of tasks that wait, this one included
}

// stageData is the data of EventStage.
type stageData struct {
	Stage string `json:"stage"` // the stage of the check that is complete
}

// Full is the error for a request for which the queue has no room.
type Full struct {
	// RetryAfter estimates when the queue will have room: when about half of the waiting tasks have had a slot. A
	// random time of up to as much again is added, so that clients that are refused together do not return together.
	// It is a whole number of seconds, from 1 to 30.
	RetryAfter time.Duration
}

func (f *Full) Error() string {
	return fmt.Sprintf("too many requests are waiting: try again in %d s", int(f.RetryAfter/time.Second))
}

// Do returns the answer to a request. If ctx ends first, the error is its cause, and the work goes on as long as other
// clients wait for the same answer. Otherwise the error is the one that the work returned, or a *Full if the queue has
// no room. A panic in the work is an error too.
func (q *Queue) Do(ctx context.Context, r *Request) (Answer, error) {
	t, a, err := q.join(ctx, r)
	if err != nil {
		return a, err
	}
	if t == nil {
		r.notify(a.stages)
		return a, nil
	}
	if a.CacheStatus != Shared {
		go t.run()
	}
	return t.wait(ctx, r, a.CacheStatus)
}

// notify passes events on to the client. An earlier picture is zero.
func (r *Request) notify(events []Event) {
	for _, e := range events {
		if r.Notify != nil && e != (Event{}) {
			r.Notify(e)
		}
	}
}

// join returns the stored answer to a request, or the task that the request has joined. If the queue has no room for a
// new task, join refuses the newest of the client that has the most waiting tasks instead, provided that it has more
// than this client would have with the new one: no client can lock out another. Otherwise the error is a *Full.
func (q *Queue) join(ctx context.Context, r *Request) (*Task, Answer, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a := Answer{}
	if r.Key != (Key{}) {
		a.CacheStatus = Miss
	}
	if q.answers != nil {
		if a, ok := q.answers.GetIfPresent(r.Key); ok {
			a.CacheStatus = Hit
			return nil, a, nil
		}
	}
	if t := q.tasks[r.Key]; t != nil {
		t.add(r.Client)
		return t, Answer{CacheStatus: Shared}, nil
	}
	if len(q.waiting) >= q.capacity && q.taken() >= q.slots {
		newest := q.newestOfLargest(r.Client)
		if newest == nil {
			return nil, a, q.refuse()
		}
		newest.refusal = q.refuse()
		q.stopWaiting(newest)
		q.forget(newest.clients)
		if q.tasks[newest.key] == newest {
			delete(q.tasks, newest.key)
		}
		close(newest.decided)
	}
	t := newTask(q, ctx, r)
	q.active++
	if r.Key != (Key{}) {
		q.tasks[r.Key] = t
	}
	q.grantSlots()
	if t.isWaiting() {
		t.queued()
	}
	return t, a, nil
}

// Crowded reports whether a task waits for a slot. Tasks that wait for room in the background do not count.
func (q *Queue) Crowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(t *Task) bool { return !t.background })
}

// SetSlots changes how many tasks are worked on at the same time, for a machine that has help from others. With fewer
// slots than before, no task loses its slot: the next ones wait until enough of them have ended.
func (q *Queue) SetSlots(slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slots = slots
	q.grantSlots()
}

// Counts are the tasks in a queue, and totals since the queue was made.
type Counts struct {
	Waiting, Working int // current tasks that wait, and that are worked on
	Background       int // how many of the latter are in the background
	Refused          int // total of requests for which there was no room
	Preempted        int // total of slots taken from tasks
}

func (q *Queue) Counts() Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.counts
	c.Waiting, c.Working, c.Background = len(q.waiting), len(q.running), len(q.running)-q.taken()
	return c
}

// Requests returns how many requests wait for the task with the given key, 0 if there is no such task.
func (q *Queue) Requests(key Key) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t := q.tasks[key]; t != nil {
		return t.requests
	}
	return 0
}

// Wait waits until no task is under way.
func (q *Queue) Wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.active > 0 {
		q.ended.Wait()
	}
}

// A Key is a hash of everything that an answer depends on.
type Key [sha256.Size]byte

// KeyOf returns the key for a sequence of texts.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		// The lengths make "ab","c" and "a","bc" differ.
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return Key(h.Sum(nil))
}

// A CacheStatus says where an answer came from.
type CacheStatus string

const (
	Hit    CacheStatus = "hit"    // from the stored answers
	Miss   CacheStatus = "miss"   // the work was done for this request
	Shared CacheStatus = "shared" // an equal request was under way already
)

// weigh returns the size of an entry in bytes, without the cache's own bookkeeping.
func weigh(key Key, a Answer) uint32 {
	n := len(key) + len(a.Body)
	for _, e := range a.stages {
		n += len(e.Name) + len(e.Data)
	}
	return uint32(min(n, 1<<32-1))
}

// CacheCounts are the stored answers, and the number of answers that were removed to make room for others.
type CacheCounts struct {
	Entries, Bytes, Evictions uint64
}

func (q *Queue) Stored() CacheCounts {
	if q.answers == nil {
		return CacheCounts{}
	}
	return CacheCounts{
		Entries:   uint64(q.answers.EstimatedSize()),
		Bytes:     q.answers.WeightedSize(),
		Evictions: q.answers.Stats().Evictions,
	}
}
