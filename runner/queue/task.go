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
	// OnBackground, unless nil, is called when the task moves to the background. It is for the work, which must not
	// block in it; it is nil again when the work is done anew.
	OnBackground func()

	queue  *Queue // nil outside a queue
	key    Key
	work   Work
	takes  time.Duration
	ctx    context.Context    // ends when no request waits any more
	cancel context.CancelFunc // ends ctx

	// These are guarded by the queue's mutex.
	requests int           // that wait for the answer
	joined   time.Time     // when it joined, or began to wait for room in the background
	clients  []string      // all that ever waited for it
	since    time.Time     // when its wait for its slot, or for its next slot, started
	decided  chan struct{} // closed when it has a slot or is refused
	refusal  *Full
	events   []Event       // everything reported so far, for requests that join later; zero for an earlier picture
	stages   []Event       // those completed since the work last began
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
	expired    bool // whether it is to go on in the background, if preempted
	background bool // whether it is in the background, or waits for room there
}

func newTask(q *Queue, ctx context.Context, r *Request) *Task {
	now := time.Now()
	t := &Task{queue: q, key: r.Key, work: r.Work, takes: cmp.Or(r.Takes, time.Second), joined: now, since: now,
		decided: make(chan struct{}), changed: make(chan struct{})}
	// The first client may leave before others that share the task, so its context gives only its values.
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
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
}

// run does the work and ends the task. A panic becomes its error: in this goroutine it would end the process.
func (t *Task) run() {
	var a Answer
	var err error
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{}, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		t.finish(a, err)
	}()
	a, err = t.do()
}

// do does the work in a slot. If the slot goes to another task, do waits for the next slot and does the work anew.
func (t *Task) do() (Answer, error) {
	for {
		ctx, err := t.acquire()
		if err != nil {
			return Answer{}, err
		}
		result, err := t.work(ctx, t)
		if err == nil {
			body, err := json.Marshal(result.Value)
			if err != nil {
				return Answer{}, fmt.Errorf("encode an answer: %w", err)
			}
			return Answer{Body: body, Transient: result.Transient}, nil
		}
		if !t.requeue() {
			return Answer{}, err
		}
	}
}

// acquire waits for the task's slot, and returns the context for the work in it. The error is a *Full if another task
// took this one's room in the queue.
func (t *Task) acquire() (context.Context, error) {
	select {
	case <-t.decided:
	case <-t.ctx.Done():
	}
	q := t.queue
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
	q.release(t)
	t.background, t.preempted = t.expired, false
	t.since, t.decided = time.Now(), make(chan struct{})
	if t.background {
		t.joined = t.since
	}
	at, _ := slices.BinarySearchFunc(q.waiting, t.joined, func(w *Task, at time.Time) int { return w.joined.Compare(at) })
	q.waiting = slices.Insert(q.waiting, at, t)
	q.grantSlots()
	t.queued(t.position())
	return true
}

// finish ends the task, frees its slot or its room in the queue, and stores its answer. A failed task fails for all
// requests that wait for it, and its answer is not stored.
func (t *Task) finish(a Answer, err error) {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Contains(q.running, t) {
		q.release(t)
	} else {
		q.stopWaiting(t)
	}
	a.stages = t.stages
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
	q.grantSlots()
}

// wait waits for the answer or for ctx, and passes the task's events on to the request.
func (t *Task) wait(ctx context.Context, r *Request, status CacheStatus) (a Answer, err error) {
	q := t.queue
	defer t.leave()
	for seen := 0; ; {
		q.mu.Lock()
		events, changed, over := t.events[seen:], t.changed, t.over
		a, err = t.answer, t.err
		a.CacheStatus = status
		if status != Shared {
			a.Waited = t.waited
		}
		q.mu.Unlock()
		seen += len(events)
		r.notify(events)
		if over {
			return a, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return a, context.Cause(ctx)
		}
	}
}

// leave has one request less wait for the task, and cancels a task for which none is left. An equal request that comes
// later then begins a new task.
func (t *Task) leave() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.requests--; t.requests > 0 || t.over {
		return
	}
	if q.tasks[t.key] == t {
		delete(q.tasks, t.key)
	}
	t.cancel()
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

// queued reports that the task waits, at this position in the queue. When it has its slot, all stages begin anew. The
// queue's mutex must be held, as for report and change.
func (t *Task) queued(position int) {
	t.stages = nil
	t.report(newEvent(EventQueued, queuedData{position}))
}

// report adds an event.
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
// that takes long and runs at a low priority. The error is ErrPreempted if there is no room in the background, or the
// slot is wanted already: the work must then end, and is done anew in the background once there is room.
func (t *Task) Background() error {
	q := t.queue
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case t.background:
		return nil
	case !t.preempted && q.backgroundRoom(q.taken()-1):
		q.release(t)
		t.background = true
		q.running = append(q.running, t)
		q.grantSlots()
		if t.OnBackground != nil {
			t.OnBackground()
		}
		return nil
	case !t.preempted:
		q.takeSlot(t)
	}
	t.expired = true // however short its time was
	return ErrPreempted
}

// InBackground reports whether the task is in the background.
func (t *Task) InBackground() bool {
	if t.queue == nil {
		return false
	}
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.background
}
