package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// A Task is work under way, with the requests that wait for its answer. Its methods may be called by the work at any
// time. The zero Task is for work outside a queue.
type Task struct {
	// TakesLong is for the work: it sets this when it turns out to take long, and begins differently when it is done
	// anew.
	TakesLong bool
	// OnBackground, unless nil, is called when the task moves to the background. It is for the work; it is nil again
	// when the work is done anew.
	OnBackground func()

	queue  *Queue // nil outside a queue
	key    Key
	kind   string
	work   Work
	ctx    context.Context    // ends when no request waits any more
	cancel context.CancelFunc // ends ctx
	number uint64             // tick at which it joined

	// These are guarded by the queue's mutex.
	requests int           // that wait for the answer
	clients  []string      // of all requests that ever waited for it
	joined   time.Time     // when it joined, or began to wait for room in the background
	since    time.Time     // when its wait for its slot, or for its next slot, started
	decided  chan struct{} // closed when it has a slot or is refused
	refusal  *Full
	events   []Event       // everything reported so far, for requests that join later; zero for an earlier picture
	stages   []Event       // the stages completed since the work last began
	waited   time.Duration // for all its slots
	changed  chan struct{} // closed at the next event and at the end
	over     bool
	answer   Answer
	err      error

	// While it is worked on:
	holder     string          // the client, one of clients, that the slot counts for
	started    time.Time       // when the work began
	working    context.Context // of the work
	end        context.CancelCauseFunc
	preempted  bool // whether its slot is to go to another task
	expired    bool // whether it has run for its quantum, if preempted
	background bool // whether it is in the background, or waits for room there
}

// newTask returns a task that waits. The queue's mutex must be held, as for add.
func newTask(q *Queue, ctx context.Context, r *Request) *Task {
	now := time.Now()
	t := &Task{queue: q, key: r.Key, kind: r.Kind, work: r.Work, number: q.tick(), joined: now, since: now,
		decided: make(chan struct{}), changed: make(chan struct{})}
	// The first client may leave before others that share the task, so its context gives only its values.
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	q.waiting = append(q.waiting, t)
	t.add(r.Client)
	return t
}

// add adds a request of the client. A task of several clients takes the room of one, and gets its slot as soon as any
// of them would get one.
func (t *Task) add(client string) {
	t.requests++
	if !slices.Contains(t.clients, client) {
		t.clients = append(t.clients, client)
	}
	if t.isWaiting() { // the client of a task that is worked on counts if that waits again
		t.queue.meet(client)
	}
}

// run does the work and ends the task. If the slot goes to another task, run waits for the next slot and does the work
// anew. A panic becomes the task's error: in this goroutine it would end the process.
func (t *Task) run() {
	var a Answer
	var err error
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{}, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		t.finish(a, err)
	}()
	for again := true; again; {
		var work context.Context
		if work, err = t.acquire(); err != nil {
			return
		}
		var result Result
		if result, err = t.work(work, t); err == nil {
			a, err = result.encode()
			return
		}
		again = t.requeue()
	}
}

func (r Result) encode() (Answer, error) {
	body, err := json.Marshal(r.Value)
	if err != nil {
		return Answer{}, fmt.Errorf("encode an answer: %w", err)
	}
	return Answer{Body: body, Transient: r.Transient}, nil
}

// acquire waits for the task's slot, and returns the context for the work in it. That context ends when no request
// waits any more, or with the cause ErrPreempted if the slot is to go to another task: the work must then end soon, and
// be followed by requeue. The error is a *Full if another task took this one's room in the queue.
//
// The queue measures how long tasks of each kind take. It does not measure a task for which no request waits: otherwise
// clients that give up early would make their requests look short, and get slots before others.
func (t *Task) acquire() (context.Context, error) {
	q := t.queue
	q.mu.Lock()
	decided := t.decided
	q.mu.Unlock()
	select {
	case <-decided:
	case <-t.ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case t.refusal != nil:
		return nil, t.refusal
	case t.ctx.Err() != nil:
		return nil, context.Cause(t.ctx) // it may have got its slot at the same moment, which finish frees
	}
	waited := t.started.Sub(t.since)
	t.waited += waited
	if q.Waited != nil {
		q.Waited(waited)
	}
	t.OnBackground = nil
	return t.working, nil
}

// requeue frees the slot of a preempted task, and has the task wait again. It reports false, and does nothing, if the
// task is not preempted or no request waits for it.
func (t *Task) requeue() bool {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if !t.preempted || t.ctx.Err() != nil {
		return false
	}
	q.free(t)
	t.since, t.decided = time.Now(), make(chan struct{})
	if t.expired {
		// It waits for room in the background, as if it had joined now.
		t.joined, t.background, t.expired = t.since, true, false
	}
	byNumber := func(w *Task, n uint64) int { return cmp.Compare(w.number, n) }
	at, _ := slices.BinarySearchFunc(q.waiting, t.number, byNumber)
	q.waiting = slices.Insert(q.waiting, at, t)
	for _, client := range t.clients {
		q.meet(client)
	}
	q.grantSlots()
	t.queued()
	return true
}

// finish ends the task, frees its slot or its room in the queue, and stores its answer. A failed task fails for all
// requests that wait for it, and its answer is not stored.
func (t *Task) finish(a Answer, err error) {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	working := slices.Contains(q.running, t)
	if working {
		q.free(t)
	} else {
		q.stopWaiting(t)
	}
	q.forget(t.clients)
	a.stages = t.stages
	// The answer is stored under the same lock under which the task ends, so that no equal request finds neither.
	if q.tasks[t.key] == t { // otherwise every client has left, or the key is zero
		delete(q.tasks, t.key)
		if q.answers != nil && err == nil && !a.Transient && t.ctx.Err() == nil {
			q.answers.Set(t.key, a)
		}
	}
	t.cancel()
	t.over, t.answer, t.err = true, a, err
	t.change()
	q.active--
	q.ended.Broadcast()
	if working {
		q.grantSlots()
	}
}

// wait waits for the answer or for ctx, and passes the task's events on to the request.
func (t *Task) wait(ctx context.Context, r *Request, status CacheStatus) (a Answer, err error) {
	q := t.queue
	defer func() {
		waited := t.leave()
		if a.CacheStatus = status; status != Shared {
			a.Waited = waited
		}
	}()
	for seen := 0; ; {
		q.mu.Lock()
		events, changed, over := t.events[seen:], t.changed, t.over
		q.mu.Unlock()
		seen += len(events)
		r.notify(events)
		if over {
			return t.answer, t.err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}

// leave has one request less wait for the task, and cancels a task for which none is left. An equal request that comes
// later then begins a new task. It returns how long the task has waited for slots.
func (t *Task) leave() (waited time.Duration) {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.requests--; t.requests > 0 || t.over {
		return t.waited
	}
	if q.tasks[t.key] == t {
		delete(q.tasks, t.key)
	}
	t.cancel()
	return t.waited
}

// Tell reports an event of the work, such as each Stage that it completes. A stored answer replays only the stages: it
// has all that is in a picture. Of the pictures only the last is kept, because work that is done anew makes another
// one, which may be large.
func (t *Task) Tell(e Event) {
	if t.queue == nil {
		return
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	switch e.Name {
	case EventPicture:
		t.events = slices.Clone(t.events) // requests may be reading the old ones
		for i := range t.events {
			if t.events[i].Name == EventPicture {
				t.events[i] = Event{}
			}
		}
	case EventStage:
		if slices.Contains(t.stages, e) {
			return // of a worker that died, and of the machine that did its work again
		}
		t.stages = append(t.stages, e)
	}
	t.report(e)
}

// queued reports that the task waits, and its position in the queue. When it has its slot, all stages begin anew. The
// queue's mutex must be held, as for report and change.
func (t *Task) queued() {
	t.stages = nil
	t.report(newEvent(EventQueued, queuedData{t.position()}))
}

func (t *Task) report(e Event) {
	t.events = append(t.events, e)
	t.change()
}

// change wakes the requests that wait.
func (t *Task) change() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Background moves the task to the background, so that its slot is free for another one. Work calls it before a part
// that takes long and runs at a low priority. The error is ErrPreempted if there is no room in the background; the work
// must then end, and is done anew once there is.
func (t *Task) Background() error {
	if t.queue == nil {
		return nil
	}
	if err := t.moveToBackground(); err != nil {
		return err
	}
	if t.OnBackground != nil {
		t.OnBackground()
	}
	return nil
}

// moveToBackground frees the task's slot if there is room in the background, and returns ErrPreempted if not.
func (t *Task) moveToBackground() error {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case t.background:
	case t.preempted:
		return ErrPreempted
	case q.backgroundRoom(q.taken() - 1):
		q.measure(t, true)
		t.background = true
		q.grantSlots()
	default:
		q.preemptTask(t)
		t.expired = true // however short its time was
		return ErrPreempted
	}
	return nil
}

func (t *Task) InBackground() bool {
	if t.queue == nil {
		return false
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.background
}
