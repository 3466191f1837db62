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
	entries <-chan Entry
	idle    time.Duration
	batch   []Entry
	// Changed: the Batcher has one timer, which every turn of every call sets again. The
	// clock is only needed to make it.
	timer Timer
}

// NewBatcher returns a Batcher whose batches have up to size
// entries. It waits for an entry for the time idle. Both size
// and idle are more than 0.
func NewBatcher(clock Clock, entries <-chan Entry, size int, idle time.Duration) *Batcher {
	return &Batcher{entries: entries, idle: idle, batch: make([]Entry, size), timer: clock.NewTimer(idle)}
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
		// Changed: the timer begins anew before each entry. clock.After made a channel, the
		// channel's buffer and a timer for each of them, also when the entry had come already.
		//
		// The timer may have expired while the caller was busy with the last batch. Since Go
		// 1.23, Reset removes such a value from the channel. Up to Go 1.22 the timer had to be
		// stopped and its channel emptied first.
		b.timer.Reset(b.idle)
		select {
		case e, ok := <-b.entries:
			if !ok {
				return batch, false
			}
			batch = append(batch, e)
		case <-b.timer.C():
			return batch, true
		}
	}
	return batch, true
	// The cost: a field, and a line that must stand in front of the select. A service that
	// waits once a minute can keep time.After.
}
