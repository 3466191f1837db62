package api

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace follows a process in the background: while requests wait for slots, it runs for 0.2 seconds of each second,
// and otherwise all the time.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name          string
		begins, ends  time.Duration // when requests begin to wait, and when they stop
		returns       time.Duration
		suspend, cont []time.Duration // when the process is suspended, and when it is resumed
	}{
		{"nobody waits", 0, 0, time.Hour, nil, nil},
		{"requests wait", 0, time.Hour, 2500 * time.Millisecond,
			[]time.Duration{200, 1200, 2200}, []time.Duration{1000, 2000, 2500}},
		{"requests begin and stop waiting", 520 * time.Millisecond, 710 * time.Millisecond, time.Hour,
			[]time.Duration{550}, []time.Duration{750}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				crowded := func() bool {
					now := time.Since(start)
					return now >= c.begins && now < c.ends
				}
				var suspended, resumed []time.Duration
				ctx, cancel := context.WithTimeout(t.Context(), c.returns)
				defer cancel()
				pace(ctx, crowded, func(suspending bool) {
					at := time.Since(start) / time.Millisecond
					if suspending {
						suspended = append(suspended, at)
					} else {
						resumed = append(resumed, at)
					}
				})
				if !slices.Equal(suspended, c.suspend) || !slices.Equal(resumed, c.cont) {
					t.Errorf("suspended at %d ms and resumed at %d ms, want %d and %d", suspended, resumed,
						c.suspend, c.cont)
				}
			})
		})
	}
}
