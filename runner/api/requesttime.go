package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onthestack/internal/execution"
)

// A requestTimeout is the cause with which the context of a job's work ends if all its builds and runs together take
// longer than --request-time. An attempt turns it into the result of a build or a run that reached its limit, because
// the program is at fault.
type requestTimeout time.Duration

func (t requestTimeout) Error() string {
	return fmt.Sprintf("the request took longer than %v and was stopped", time.Duration(t))
}

func (t requestTimeout) buildStop() execution.Stop {
	return execution.Stop{Kind: execution.BuildTime, Time: time.Duration(t)}
}

func (t requestTimeout) stop() execution.Stop {
	return execution.Stop{Kind: execution.RequestTime, Time: time.Duration(t)}
}

// withRequestTime returns a context that ends after d.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, requestTimeout(d))
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

// recording returns the recording of a program that was stopped. It lacks the program's steps.
func (t requestTimeout) recording() *execution.Recording {
	return &execution.Recording{Exit: 1, Stop: t.stop()}
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
