package sandbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimed has programs that get a part of a processor. They have their whole processor time.
func TestTimed(t *testing.T) {
	const limit = 4 * time.Second
	for _, c := range []struct {
		name string
		part time.Duration // of the processor's time, one in so many; 0 for a limit by the clock
		want time.Duration
	}{
		{"by the clock", 0, limit},
		{"a whole processor", 1, limit},
		{"half of one", 2, 2 * limit},
		{"a tenth", 10, 10 * limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var used func() time.Duration
				if c.part > 0 {
					used = func() time.Duration { return time.Hour + time.Since(start)/c.part }
				}
				ctx, cancel := timed(t.Context(), limit, used)
				defer cancel()
				<-ctx.Done()
				if took := time.Since(start).Round(limit / 100); took != c.want {
					t.Errorf("it ended after %v, want %v", took, c.want)
				}
				if cause := context.Cause(ctx); cause != context.DeadlineExceeded {
					t.Errorf("it ended with %v", cause)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := timed(t.Context(), limit, func() time.Duration { return 0 })
		cancel()
		synctest.Wait()
		if context.Cause(ctx) != context.Canceled {
			t.Errorf("it ended with %v", context.Cause(ctx))
		}
	})
}
