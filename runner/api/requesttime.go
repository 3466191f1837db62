package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onthestack/internal/execution"
	"onthestack/runner/jobs"
)

// A requestTimeout is the cause with which the context of a job's work ends if all its builds and runs together take
// longer than --request-time. It wraps an execution.StopError. An attempt turns it into the result of a build or a run
// that reached its limit, because the program is at fault.
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

// withRequestTime returns a context that ends after d, with the cause requestTimeout, and its timer.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, *jobs.Timer, context.CancelFunc) {
	return jobs.WithTimer(ctx, d, requestTimeout(d))
}
