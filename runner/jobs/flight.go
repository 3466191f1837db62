package jobs

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// flightWork does the work of a flight.
type flightWork func(context.Context, *flight) (answer, error)

// A flight is work under way, with the jobs that wait for its answer.
type flight struct {
	cache  *Cache
	job    Job // the first of the jobs, whose work is done
	cancel context.CancelFunc

	mu       sync.Mutex
	waiting  int           // jobs that wait for the answer
	clients  []string      // clients of all jobs that ever waited for it
	joined   func(string)  // see onJoin; nil until it is called
	events   []Event       // everything reported so far, for jobs that join later; zero for an earlier picture
	complete []Event       // the stages completed since the work last began
	queue    time.Duration // spent waiting for slots
	changed  chan struct{} // closed at the next event and at the end
	ended    bool
	result   answer
	err      error
}

// run does the work, and ends the flight. A panic becomes the flight's error: in this goroutine it would end the
// process.
func (f *flight) run(ctx context.Context, work flightWork) {
	var a answer
	var err error
	defer func() {
		if p := recover(); p != nil {
			a, err = answer{}, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		f.cache.end(f, a, err == nil && !a.transient && ctx.Err() == nil)
		f.cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended, f.result, f.err = true, a, err
		f.change()
	}()
	a, err = work(ctx, f)
}

// wait waits for the answer or for ctx, and passes the flight's events on to the job.
func (f *flight) wait(ctx context.Context, j *Job) (answer, error) {
	defer f.cache.leave(f)
	seen := 0
	for {
		f.mu.Lock()
		events, changed, ended := f.events[seen:], f.changed, f.ended
		f.mu.Unlock()
		seen += len(events)
		if j.Notify != nil {
			for _, e := range events {
				if e != (Event{}) {
					j.Notify(e)
				}
			}
		}
		if ended {
			return f.result, f.err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
}

// join adds a job of the client.
func (f *flight) join(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
	f.clients = append(f.clients, client)
	if f.joined != nil {
		f.joined(client)
	}
}

// leave removes a job, and reports whether none is left to wait for an answer that is still to come.
func (f *flight) leave() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	return f.waiting == 0 && !f.ended
}

// onJoin calls joined with the client of each job that has joined the flight or joins it later. Joined is called on
// several goroutines, and must not block.
func (f *flight) onJoin(joined func(client string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.joined = joined
	for _, client := range f.clients {
		joined(client)
	}
}

// queued reports that the work waits for a slot, at this position in the queue. When it has the slot, all stages
// begin anew.
func (f *flight) queued(position int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.complete = nil
	f.report(newEvent(EventQueued, queuedData{position}))
}

// tell reports an event of the work. A cached answer replays only the stages: it has all that is in a picture. Of the
// pictures only the last is kept, because work that is done anew makes another one, which may be large.
func (f *flight) tell(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Name == EventPicture {
		f.events = slices.Clone(f.events) // jobs may be reading the old ones
		for i := range f.events {
			if f.events[i].Name == EventPicture {
				f.events[i] = Event{}
			}
		}
	}
	f.report(e)
	if e.Name == EventStage {
		f.complete = append(f.complete, e)
	}
}

// stages returns the events of all completed stages, which a cached answer replays.
func (f *flight) stages() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.complete)
}

// report adds an event. The mutex must be held.
func (f *flight) report(e Event) {
	f.events = append(f.events, e)
	f.change()
}

// change wakes the jobs that wait. The mutex must be held.
func (f *flight) change() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// waited adds to the time that the work waited for slots.
func (f *flight) waited(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue += d
}

func (f *flight) queueTime() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue
}
