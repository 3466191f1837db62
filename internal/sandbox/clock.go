package sandbox

import (
	"context"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"

	"onthestack/internal/execution"
)

// A clock is a program's own time. It advances only while the program sleeps, and by the time that it sleeps. A program
// has one thread, so a clock needs no lock.
type clock struct {
	now int64 // nanoseconds since 1970
}

func newClock() *clock { return &clock{now: execution.Epoch} }

// sleep is called when all goroutines of the program wait; ns is the time until the next timer is due.
func (c *clock) sleep(ns int64) {
	if ns > 0 {
		c.now = min(c.now, math.MaxInt64-ns) + ns
	}
}

func (c *clock) configure(config wazero.ModuleConfig) wazero.ModuleConfig {
	wall := func() (int64, int32) { return c.now / 1e9, int32(c.now % 1e9) }
	// The monotonic clock shows the same time, as the runtime's own fake clock does.
	return config.WithWalltime(wall, sys.ClockResolution(1)).
		WithNanotime(func() int64 { return c.now }, sys.ClockResolution(1)).
		WithNanosleep(c.sleep)
}

// sleep waits for ns nanoseconds of real time, or until ctx is done.
func sleep(ctx context.Context, ns int64) {
	if ns <= 0 {
		return
	}
	timer := time.NewTimer(time.Duration(ns))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
