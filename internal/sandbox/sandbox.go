// Package sandbox runs built programs within limits on time and output: natively (native.go), natively in a confined
// process (confined.go and package jail), or as WebAssembly (GOOS=wasip1) under wazero (wasm.go). A program under
// WebAssembly has bounded memory and no network. The tests of a check have no files; a program that somebody runs has a
// disk in memory (disk.go), and finds the files of preset.go on it. A confined process has no files at all. The
// checker, the runner and the book's measurements run programs with it. A page runs its programs in a sandbox of the
// browser instead; see web/src/engine/sandbox-frame.ts.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"time"

	"onthestack/internal/execution"
)

// Limits bound a run.
type Limits struct {
	Time   time.Duration // wall clock, or processor time; see Wasm.OwnProcess
	Output int           // bytes on stdout and stderr together
	Memory int           // bytes of memory as WebAssembly or confined; for native runs see nativeMemory

	// Ready bounds the compilation of a WebAssembly program, in wall-clock time; 0 stands for DefaultReady. The time
	// depends on the program's size, which is bounded too, and on the load of the machine.
	Ready time.Duration
}

// DefaultReady bounds the compilation of a program if Limits.Ready is 0. A large program takes 4 s on one processor.
const DefaultReady = 20 * time.Second

func (l Limits) ready() time.Duration { return cmp.Or(l.Ready, DefaultReady) }

// CheckLimits returns the limits for the test binary of a check on the machine of a reader or a grader. The time for
// the compilation is so long that a correct solution does not fail on a busy machine.
func CheckLimits() Limits {
	return Limits{
		Time: 20 * time.Second, Output: execution.MaxOutput, Memory: execution.MaxMemory, Ready: 3 * time.Minute,
	}
}

// stop returns the Stop for a limit of this kind.
func (l Limits) stop(kind execution.Kind) execution.Stop {
	s := execution.Stop{Kind: kind}
	switch kind {
	case execution.RunTime:
		s.Time = l.Time
	case execution.LoadTime:
		s.Time = l.ready()
	case execution.Output:
		s.Bytes = l.Output
	}
	return s
}

// stopped returns the limit that a run in ctx reached.
func stopped(ctx context.Context, m *execution.Meter) execution.Kind {
	switch {
	case m.Exceeded():
		return execution.Output
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return execution.RunTime
	}
	return execution.NotStopped
}

// testArguments returns the arguments of a test binary that runs this part of a check.
func testArguments(part string, failFast bool) []string {
	if failFast {
		return []string{"-test.timeout=0", "-test.failfast", part}
	}
	return []string{"-test.timeout=0", part}
}

// timed returns a context that ends after d, with the cause context.DeadlineExceeded. If used is not nil, it returns
// the processor time of the program so far: the context then ends when that has grown by d.
func timed(ctx context.Context, d time.Duration, used func() time.Duration) (context.Context, context.CancelFunc) {
	if used == nil {
		return context.WithTimeout(ctx, d)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	end := used() + d
	go func() {
		for {
			left := end - used()
			if left <= 0 {
				cancel(context.DeadlineExceeded)
				return
			}
			select {
			case <-time.After(max(left, time.Millisecond)):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
