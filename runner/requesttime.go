package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onthestack/internal/direct"
	"onthestack/internal/playground"
	"onthestack/internal/verdict"
)

// A requestTimeout is why the work of a request ends that builds, vets and runs for longer than this in all. The builder and the
// runners of this package turn it into the answer of a limit, since it is the program's doing.
type requestTimeout time.Duration

func (t requestTimeout) Error() string {
	return fmt.Sprintf("the request took longer than %v and was stopped", time.Duration(t))
}

// withRequestTime begins a request's time.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, requestTimeout(d))
}

// build is a build that was stopped.
func (t requestTimeout) build(version string) *verdict.Build {
	return &verdict.Build{
		Stopped: fmt.Sprintf("%s %v and was stopped", direct.TookTooLong, time.Duration(t)),
		Go:      version, GOOS: "wasip1", GOARCH: "wasm",
		Close: func() error { return nil },
	}
}

// program is a program that was stopped, of which nothing is shown that it printed.
func (t requestTimeout) program() *playground.Run {
	// It begins with what the playground says, which its clients know.
	note := fmt.Sprintf("timeout running program: building and running it took longer than %v\n", time.Duration(t))
	return &playground.Run{
		Events: []playground.Event{{Message: note, Kind: playground.Stderr}},
		Exit:   1, Stop: playground.OutOfTime,
	}
}

// tests is a check's test program that was stopped.
func (t requestTimeout) tests() *verdict.Run {
	return &verdict.Run{Exit: -1, Stopped: fmt.Sprintf("%s %v, its build included, and was stopped", playground.RanLonger, time.Duration(t))}
}

// timedOut returns the request's timeout, if err is one.
func timedOut(err error) (t requestTimeout, ok bool) {
	ok = errors.As(err, &t)
	return t, ok
}
