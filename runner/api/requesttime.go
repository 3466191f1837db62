package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"onthestack/internal/execution"
)

// timedOut returns the limit that a request has reached, if err is the end of its time: if all its builds and runs
// together take longer than --request-time, the context of its work ends with an execution.StopError. That is turned
// into the result of a build or a run that reached its limit, because the program is at fault.
func timedOut(err error) (execution.Stop, bool) {
	var over execution.StopError
	ok := errors.As(err, &over)
	return over.Stop, ok
}

// A requestTimer ends the work of a request when its time is over. While the work's program is suspended, the timer is
// paused.
type requestTimer struct {
	limit execution.Stop

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // when it was last started
	start time.Time     // of the timer; zero while it is paused
}

// withRequestTime returns a context that ends after d, without the time in which the
// timer is paused.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, *requestTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	limit := execution.Stop{Kind: execution.RequestTime, Time: d}
	end := func() { cancel(execution.StopError{Stop: limit}) }
	t := &requestTimer{limit: limit, left: d, timer: time.AfterFunc(d, end), start: time.Now()}
	return ctx, t, func() { t.pause(); cancel(nil) }
}

// pause stops the timer until resume is called. A timer that is paused or has ended stays as it is.
func (t *requestTimer) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.start.IsZero() && t.timer.Stop() {
		t.left -= time.Since(t.start)
		t.start = time.Time{}
	}
}

// resume lets a paused timer go on. A timer that is not paused stays as it is.
func (t *requestTimer) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		t.start = time.Now()
		t.timer.Reset(t.left)
	}
}
