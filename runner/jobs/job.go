// Package jobs decides which of the runner's requests are worked on, in which order, and for how long.
//
// A request that costs processor time is a [Job]. An [Executor] answers it in one of three ways: from the [Cache],
// together with an equal job that is under way already (a flight), or by doing its work in a slot of a [Queue].
//
// The order in which jobs get slots is in slots.go, the rules by which a running job loses its slot are in preempt.go,
// and how one that takes long goes on without a slot is in background.go. Its time is measured in timer.go.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Job is a request that costs processor time. The handler that reads the request fills it in, and Executor.Do
// answers it.
type Job struct {
	Client string // identifies the client; a Queue shares its slots fairly between clients
	Kind   string // jobs of one kind take about equally long; the route of the request
	// Key identifies everything that the answer depends on. The zero Key is for a job whose answer is neither cached
	// nor shared.
	Key  Key
	Work Work
	Here bool // whether only this machine can do the work, and no worker
	// Notify, unless nil, is called with the job's events, one after the other and before Executor.Do returns.
	Notify func(Event)

	// Executor.Do sets these.
	CacheStatus CacheStatus   // where the answer came from; "" if Key is zero
	QueueTime   time.Duration // how long the work waited for slots; 0 if the work was done for another request
	Transient   bool          // whether the same job may have another answer next time; see Result
}

// Work does a job in a slot. It must end soon once ctx is done, which happens when no client waits for the answer any
// more, when the slot goes to another job (the cause is ErrPreempted; the work is then done anew later), or when the
// time for it is over.
type Work func(ctx context.Context, s *Slot) (Result, error)

// A Slot is what the work of a job has while it is done. If the work is done anew after preemption, it has the same
// Slot again. The zero Slot is for work outside a queue.
type Slot struct {
	// Tell reports an event of the work, such as each Stage that it completes. It may be nil in the zero Slot.
	Tell func(Event)
	// Timer measures the time of the work; nil if the work has no limit.
	Timer *Timer
	// TakesLong is for the work: it sets this when it turns out to take long, and begins differently when it is done
	// anew.
	TakesLong bool
	// OnBackground, unless nil, is called when the work moves to the background.
	OnBackground func()

	ticket *Ticket // nil outside a queue
}

// A Result is what work returns.
type Result struct {
	Value any // encoded as JSON
	// Transient means that the same work may have another result next time, because it reached a limit of time or of
	// the machine. Transient results are not cached.
	Transient bool
}

// An Event reports the progress of a job: its name and data are those of a server-sent event.
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

// StageName returns the name of the stage, if the event is that a stage is complete.
func (e Event) StageName() (name string, ok bool) {
	var data stageData
	ok = e.Name == EventStage && json.Unmarshal([]byte(e.Data), &data) == nil
	return data.Stage, ok
}

// queuedData is the data of EventQueued.
type queuedData struct {
	Position int `json:"position"` // as Ticket.Position counts
}

// stageData is the data of EventStage.
type stageData struct {
	Stage string `json:"stage"` // the stage of the check that is complete
}

// An Executor answers jobs. Several executors may share a cache.
type Executor struct {
	Cache *Cache
	Queue *Queue
	// Begin, unless nil, is called when a job has its slot. It may set the slot's Timer, and returns the context for
	// the work. A Begin that returns an error ends the job.
	Begin func(context.Context, *Slot) (context.Context, context.CancelFunc, error)
	// Waited, unless nil, is called with the time that a job waited for a slot, each time that it gets one.
	Waited func(time.Duration)
}

// Do returns the answer to a job, which is JSON and must not be modified. The error is that of the work, a *Full if
// the queue has no room for the job, or the cause of ctx's end. The work goes on after ctx's end if other clients
// wait for the same answer.
func (e *Executor) Do(ctx context.Context, j *Job) ([]byte, error) {
	for {
		a, status, err := e.Cache.do(ctx, j, e.work)
		var full *Full
		if status == Shared && errors.As(err, &full) {
			// The queue refused the flight of another client, which has more waiting requests than any other. This
			// client has fewer, so its request may have room in a flight of its own.
			continue
		}
		if j.Key != (Key{}) {
			j.CacheStatus = status
		}
		j.Transient = a.transient
		return a.body, err
	}
}

// work does the work of a flight in a slot of the queue. If the slot goes to another job, work waits for the next
// slot and does the work anew.
func (e *Executor) work(ctx context.Context, f *flight) (answer, error) {
	ticket, err := e.Queue.Join(f.job.Client, f.job.Kind)
	if err != nil {
		return answer{}, err
	}
	defer ticket.Leave()
	f.onJoin(ticket.Share)
	if n := ticket.Position(); n > 0 {
		f.queued(n)
	}
	slot := &Slot{ticket: ticket}
	for {
		work, err := ticket.Wait(ctx)
		if err != nil {
			return answer{}, err
		}
		waited := ticket.Waited()
		f.waited(waited)
		if e.Waited != nil {
			e.Waited(waited)
		}
		slot.Tell, slot.Timer, slot.OnBackground = f.tell, nil, nil
		end := func() {}
		if e.Begin != nil {
			work, end, err = e.Begin(work, slot)
		}
		var result Result
		if err == nil {
			result, err = f.job.Work(work, slot)
			end()
		}
		if err != nil && ticket.Requeue() {
			f.queued(ticket.Position())
			continue
		}
		if err != nil {
			return answer{}, err
		}
		return f.answer(result)
	}
}

// answer encodes a result.
func (f *flight) answer(r Result) (answer, error) {
	body, err := json.Marshal(r.Value)
	if err != nil {
		return answer{}, fmt.Errorf("encode an answer: %w", err)
	}
	return answer{body: body, events: f.stages(), transient: r.Transient}, nil
}
