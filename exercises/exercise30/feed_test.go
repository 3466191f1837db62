package accesslog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"onthestack/exercises/exercise30"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// show returns the beginning of a value's text, for messages.
func show(v any) string {
	text := fmt.Sprint(v)
	if len(text) > 120 {
		return text[:120] + " …"
	}
	return text
}

// newClock returns the clock of package time. In a bubble of package synctest its time is
// virtual, and passes only when nobody has anything else to do.
func newClock() accesslog.Clock {
	return accesslog.Clock{
		After:    time.After,
		NewTimer: func(d time.Duration) accesslog.Timer { return timer{time.NewTimer(d)} },
	}
}

// A timer is one of package time.
type timer struct{ *time.Timer }

func (t timer) C() <-chan time.Time { return t.Timer.C }

// An instant has a clock for benchmarks, in which nobody waits: a timer expires at once if no
// entry has come when it is set, and never if one has.
type instant struct {
	entries <-chan accesslog.Entry
	expired int // timers
}

func (i *instant) clock() accesslog.Clock {
	return accesslog.Clock{
		After:    func(d time.Duration) <-chan time.Time { return i.newTimer(d).C() },
		NewTimer: i.newTimer,
	}
}

func (i *instant) newTimer(d time.Duration) accesslog.Timer {
	t := &instantTimer{i, make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

type instantTimer struct {
	of *instant
	c  chan time.Time
}

func (t *instantTimer) C() <-chan time.Time { return t.c }

func (t *instantTimer) Reset(time.Duration) bool {
	active := t.Stop()
	if len(t.of.entries) == 0 {
		t.of.expired++
		t.c <- time.Time{}
	}
	return active
}

func (t *instantTimer) Stop() bool {
	select {
	case <-t.c:
		return true
	default:
		return false
	}
}
