package api

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestRequestTimer tests that the time in which a request's timer is paused does not count.
func TestRequestTimer(t *testing.T) {
	const limit = 25 * time.Second
	for _, c := range []struct {
		name   string
		during func(*requestTimer)
		want   time.Duration // when the request's time is over
	}{
		{"never paused", func(*requestTimer) {}, limit},
		{"resumed only", (*requestTimer).resume, limit},
		{"paused twice", func(timer *requestTimer) {
			for range 2 {
				time.Sleep(time.Second)
				timer.pause()
				timer.pause()
				time.Sleep(time.Minute)
				timer.resume()
				timer.resume()
			}
		}, limit + 2*time.Minute},
		{"paused too late", func(timer *requestTimer) {
			time.Sleep(limit)
			synctest.Wait()
			timer.pause()
			time.Sleep(time.Second)
			timer.resume()
		}, limit + time.Second}, // where the test notices it
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, timer, cancel := withRequestTime(t.Context(), limit)
				defer cancel()
				c.during(timer)
				<-ctx.Done()
				if took := time.Since(start); took != c.want {
					t.Errorf("the request's time was over after %v, want %v", took, c.want)
				}
				if late, ok := timedOut(context.Cause(ctx)); !ok || late != timer.limit {
					t.Errorf("the time ends with %v, for a limit of %v", context.Cause(ctx), timer.limit)
				}
			})
		})
	}
}
