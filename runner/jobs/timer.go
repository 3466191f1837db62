package jobs

import (
	"context"
	"sync"
	"time"
)

// A Timer ends the work of a job after some time. While the work's program is suspended, or another machine does the
// work, the Timer is paused. All methods of a nil Timer do nothing.
type Timer struct {
	cause error

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // when it was last started
	start time.Time     // of the timer; zero while it is paused
}

// WithTimer returns a context that ends with the cause after d, without the time in which its Timer is paused.
func WithTimer(ctx context.Context, d time.Duration, cause error) (context.Context, *Timer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &Timer{cause: cause, left: d, timer: time.AfterFunc(d, func() { cancel(cause) }), start: time.Now()}
	return ctx, t, func() { t.Pause(); cancel(nil) }
}

// Cause returns the cause with which the work's context ends when the time is over.
func (t *Timer) Cause() error {
	if t == nil {
		return nil
	}
	return t.cause
}

// Pause stops the Timer until Resume is called. A Timer that is paused or has ended stays as it is.
func (t *Timer) Pause() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.start.IsZero() && t.timer.Stop() {
		t.left -= time.Since(t.start)
		t.start = time.Time{}
	}
}

// Resume lets a paused Timer go on. A Timer that is not paused stays as it is.
func (t *Timer) Resume() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		t.start = time.Now()
		t.timer.Reset(t.left)
	}
}
