package main

import (
	"context"
	"net/http"
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

// retryStopping is when a client that came while the server stops may try again, in seconds: about how long a restart takes.
const retryStopping = "10"

// admitted answers requests as long as the server does not stop. One on a connection that was open already is refused then; a
// new connection finds nobody.
func (s *server) admitted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.drain.enter() {
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", retryStopping)
			s.refuse(w, &refusal{http.StatusServiceUnavailable, "the runner is stopping: try again in " + retryStopping + " s"})
			return
		}
		defer s.drain.leave()
		next.ServeHTTP(w, r)
	})
}
