// The task: checkalloc task exercise30

// Package accesslog ships the access log of a service in
// batches.
package accesslog

import "time"

// An Entry is about a request that the service has answered.
type Entry struct {
	Path   string
	Status int
}

// A Clock makes timers. In the service, After is time.After,
// and NewTimer returns a *time.Timer as a Timer. Tests have
// other clocks, so that they need not wait.
type Clock struct {
	After    func(d time.Duration) <-chan time.Time
	NewTimer func(d time.Duration) Timer
}

// A Timer has the methods of a *time.Timer, and its channel.
// No value from before a call of Reset or Stop is received
// after it.
type Timer interface {
	C() <-chan time.Time
	Reset(d time.Duration) bool
	Stop() bool
}

// A Batcher makes batches of the entries in a channel.
// Goroutines each have a Batcher of their own.
type Batcher struct {
	clock   Clock
	entries <-chan Entry
	idle    time.Duration
	batch   []Entry
}

// NewBatcher returns a Batcher whose batches have up to size
// entries. It waits for an entry for the time idle. Both size
// and idle are more than 0.
func NewBatcher(clock Clock, entries <-chan Entry, size int, idle time.Duration) *Batcher {
	return &Batcher{clock: clock, entries: entries, idle: idle, batch: make([]Entry, size)}
}

// Next receives entries until the batch is full, or until no
// entry has come for the time idle, which begins anew with
// the call and with each entry. It returns the entries in
// their order; there may be none. If the channel is closed,
// Next returns what it has received, and more is false.
//
// The batch is valid until Next is called again, and the
// caller may take any time before that.
func (b *Batcher) Next() (batch []Entry, more bool) {
	batch = b.batch[:0]
	for len(batch) < cap(batch) {
		select {
		case e, ok := <-b.entries:
			if !ok {
				return batch, false
			}
			batch = append(batch, e)
		case <-b.clock.After(b.idle):
			return batch, true
		}
	}
	return batch, true
}
