package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// A Flight is a task under way, as the task itself sees it.
type Flight struct{ f *flight }

// Step reports a step to all that wait for the answer, now and later.
func (f *Flight) Step(step Step) {
	f.f.mu.Lock()
	defer f.f.mu.Unlock()
	f.f.steps = append(f.f.steps, step)
	f.f.change()
}

// Parties calls join with each that waits for the answer, and goes on to do so with those that come later. Join is called from
// several goroutines, and must not block.
func (f *Flight) Parties(join func(who string)) {
	f.f.mu.Lock()
	defer f.f.mu.Unlock()
	f.f.joined = join
	for _, who := range f.f.parties {
		join(who)
	}
}

// A flight is a task under way.
type flight struct {
	cache  *Cache
	key    Key
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting int      // how many wait for the answer
	parties []string // all that ever did
	joined  func(string)
	steps   []Step
	changed chan struct{} // closed at the next step and at the end
	over    bool
	answer  Answer
	err     error
}

func newFlight(c *Cache, key Key) *flight {
	return &flight{cache: c, key: key, changed: make(chan struct{})}
}

func (f *flight) join(who string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
	f.parties = append(f.parties, who)
	if f.joined != nil {
		f.joined(who)
	}
}

// leave reports whether nobody is left to wait for an answer that is still to come.
func (f *flight) leave() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	return f.waiting == 0 && !f.over
}

// change wakes those that wait. It is called with the mutex held.
func (f *flight) change() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// fly does the work and has its answer kept.
func (f *flight) fly(ctx context.Context, work Work) {
	defer f.cancel()
	answer, err := protected(ctx, work, &Flight{f})
	f.cache.end(f, answer, err == nil && !answer.Passing && ctx.Err() == nil)

	f.mu.Lock()
	defer f.mu.Unlock()
	f.over, f.answer, f.err = true, answer, err
	f.change()
}

// protected turns a panic into an error: it would end the process, where that of a handler of HTTP ends one request.
func protected(ctx context.Context, work Work, f *Flight) (answer Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = Answer{}, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work(ctx, f)
}

// wait waits for the answer or for ctx, and passes each step on.
func (f *flight) wait(ctx context.Context, step func(Step)) (Answer, error) {
	defer f.cache.abandon(f)
	told := 0
	for {
		f.mu.Lock()
		steps, changed, over := f.steps[told:], f.changed, f.over
		f.mu.Unlock()
		told += len(steps)
		for _, s := range steps {
			if step != nil {
				step(s)
			}
		}
		if over {
			return f.answer, f.err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}
