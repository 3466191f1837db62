package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"onthestack/internal/execution"
)

// A requestTimeout is the cause with which the context of a request's work ends if all its builds and runs together
// take longer than --request-time. It wraps an execution.StopError. A builder or a runner turns it into the result of a
// build or a run that reached its limit, because the program is at fault.
type requestTimeout time.Duration

func (t requestTimeout) Error() string {
	return fmt.Sprintf("the request took longer than %v and was stopped", time.Duration(t))
}

func (t requestTimeout) Unwrap() error { return execution.StopError{Stop: t.stop()} }

func (t requestTimeout) buildStop() execution.Stop {
	return execution.Stop{Kind: execution.BuildTime, Time: time.Duration(t)}
}

func (t requestTimeout) stop() execution.Stop {
	return execution.Stop{Kind: execution.RequestTime, Time: time.Duration(t)}
}

// build returns the result of a build that was stopped.
func (t requestTimeout) build(version string) *execution.Build {
	return &execution.Build{
		Stop: t.buildStop(),
		Go:   version, GOOS: "wasip1", GOARCH: "wasm",
		Close: func() error { return nil },
	}
}

// program returns the result of a program that was stopped. It lacks the program's output.
func (t requestTimeout) program() *execution.Result {
	stop := t.stop()
	return &execution.Result{Events: []execution.Event{{Message: stop.Note(), Kind: execution.Stderr}},
		Exit: 1, Stop: stop}
}

// tests returns the result of a check's test program that was stopped.
func (t requestTimeout) tests() *execution.TestRun {
	return &execution.TestRun{Exit: -1, Stop: t.stop()}
}

// timedOut returns the requestTimeout that err wraps, if it does.
func timedOut(err error) (t requestTimeout, ok bool) {
	ok = errors.As(err, &t)
	return t, ok
}

// isLate reports whether the cause is the end of a request's time.
func isLate(cause error) bool {
	_, ok := timedOut(cause)
	return ok
}

// A requestTimer ends the work of a request when its time is over. While the work's program is suspended, the timer is
// paused. All methods of a nil timer do nothing.
type requestTimer struct {
	limit requestTimeout

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // when it was last started
	start time.Time     // of the timer; zero while it is paused
}

// withRequestTime returns a context that ends with the cause requestTimeout after d, without the time in which the
// timer is paused.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, *requestTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	limit := requestTimeout(d)
	t := &requestTimer{limit: limit, left: d, timer: time.AfterFunc(d, func() { cancel(limit) }), start: time.Now()}
	return ctx, t, func() { t.pause(); cancel(nil) }
}

// stop returns the limit that a program has reached when the time is over; the zero Stop if there is none.
func (t *requestTimer) stop() execution.Stop {
	if t == nil {
		return execution.Stop{}
	}
	return t.limit.stop()
}

// pause stops the timer until resume is called. A timer that is paused or has ended stays as it is.
func (t *requestTimer) pause() {
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

// resume lets a paused timer go on. A timer that is not paused stays as it is.
func (t *requestTimer) resume() {
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
