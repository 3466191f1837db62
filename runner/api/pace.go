package api

import (
	"context"
	"time"
)

// While requests wait for slots, a process in the background runs for paceSlice of each pacePeriod. A lower priority
// alone is not enough: a nice process keeps its processor for some milliseconds after another one has become ready, and
// a build becomes ready hundreds of times. The policy SCHED_IDLE yields at once, but gives a process almost nothing
// while other programs keep the machine busy.
const (
	paceTick   = 50 * time.Millisecond
	paceSlice  = 200 * time.Millisecond
	pacePeriod = 1 * time.Second
)

// pace calls suspend to suspend and resume a process, as long as crowded reports that requests wait for slots. It
// returns when ctx is done, with the process resumed.
func pace(ctx context.Context, crowded func() bool, suspend func(bool)) {
	tick := time.NewTicker(paceTick)
	defer tick.Stop()
	suspended := false
	set := func(suspending bool) {
		if suspending != suspended {
			suspended = suspending
			suspend(suspending)
		}
	}
	defer set(false)
	for at := time.Duration(0); ; at = (at + paceTick) % pacePeriod {
		set(at >= paceSlice && crowded())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
