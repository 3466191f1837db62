package main

import (
	"context"
	"sync"
)

// A drain lets the requests under way finish and refuses new ones. Its zero value lets all in.
type drain struct {
	mu      sync.Mutex
	closed  bool
	active  int
	emptied chan struct{} // closed when none is under way; nil before the drain is closed
}

// enter counts a request, unless the drain is closed.
func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.active++
	return true
}

func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.active--; d.closed && d.active == 0 {
		close(d.emptied)
	}
}

// close lets no more requests in. It is called once.
func (d *drain) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed, d.emptied = true, make(chan struct{})
	if d.active == 0 {
		close(d.emptied)
	}
}

// wait waits, once the drain is closed, until no request is under way. It reports whether that came before ctx was done.
func (d *drain) wait(ctx context.Context) bool {
	select {
	case <-d.emptied:
		return true
	case <-ctx.Done():
		return false
	}
}
