package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onthestack/internal/direct"
	"onthestack/internal/playground"
	"onthestack/internal/verdict"
)

// A requestTimeout is the cause with which the context of a job's work ends if all its builds and runs together take
// longer than --request-time. An attempt turns it into the result of a build or a run that reached its limit, because
// the program is at fault.
type requestTimeout time.Duration

func (t requestTimeout) Error() string {
	return fmt.Sprintf("the request took longer than %v and was stopped", time.Duration(t))
}

// withRequestTime returns a context that ends after d.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, requestTimeout(d))
}

// build returns the result of a build that was stopped.
func (t requestTimeout) build(version string) *verdict.Build {
	return &verdict.Build{
		Stopped: fmt.Sprintf("%s %v and was stopped", direct.TookTooLong, time.Duration(t)),
		Go:      version, GOOS: "wasip1", GOARCH: "wasm",
		Close: func() error { return nil },
	}
}

// program returns the result of a program that was stopped. It lacks the program's output.
func (t requestTimeout) program() *playground.Run {
	// The note begins with the playground's own, which its clients recognize.
	note := fmt.Sprintf("timeout running program: building and running it took longer than %v\n", time.Duration(t))
	return &playground.Run{
		Events: []playground.Event{{Message: note, Kind: playground.Stderr}},
		Exit:   1, Stop: playground.OutOfTime,
	}
}

// tests returns the result of a check's test program that was stopped.
func (t requestTimeout) tests() *verdict.Run {
	return &verdict.Run{
		Exit:    -1,
		Stopped: fmt.Sprintf("%s %v, its build included, and was stopped", playground.RanLonger, time.Duration(t)),
	}
}

// timedOut returns the requestTimeout that err wraps, if it does.
func timedOut(err error) (t requestTimeout, ok bool) {
	ok = errors.As(err, &t)
	return t, ok
}
