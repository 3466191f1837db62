package api

import (
	"context"
	"sync"
)

// inflight counts the requests that are being answered, so that the server can wait for them when it stops. The zero
// value is ready to use.
type inflight struct {
	mu     sync.Mutex
	closed bool
	count  int
	idle   chan struct{} // made by close; closed when no request is left
}

// enter counts a request, or reports false if the server is stopping.
func (f *inflight) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.count++
	return true
}

// leave ends a request that enter has counted.
func (f *inflight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count--; f.closed && f.count == 0 {
		close(f.idle)
	}
}

// close admits no more requests. It is called once.
func (f *inflight) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.idle = true, make(chan struct{})
	if f.count == 0 {
		close(f.idle)
	}
}

// wait waits after close until no request is left or ctx is done, and reports whether no request is left.
func (f *inflight) wait(ctx context.Context) bool {
	select {
	case <-f.idle:
		return true
	case <-ctx.Done():
		return false
	}
}
