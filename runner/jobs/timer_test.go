package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimer tests that the time in which a Timer is paused does not count.
func TestTimer(t *testing.T) {
	const limit = 25 * time.Second
	over := errors.New("the time is over")
	for _, c := range []struct {
		name   string
		during func(*Timer)
		want   time.Duration // when the request's time is over
	}{
		{"never paused", func(*Timer) {}, limit},
		{"resumed only", (*Timer).Resume, limit},
		{"paused twice", func(timer *Timer) {
			for range 2 {
				time.Sleep(time.Second)
				timer.Pause()
				timer.Pause()
				time.Sleep(time.Minute)
				timer.Resume()
				timer.Resume()
			}
		}, limit + 2*time.Minute},
		{"paused too late", func(timer *Timer) {
			time.Sleep(limit)
			synctest.Wait()
			timer.Pause()
			time.Sleep(time.Second)
			timer.Resume()
		}, limit + time.Second}, // where the test notices it
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, timer, cancel := WithTimer(t.Context(), limit, over)
				defer cancel()
				c.during(timer)
				<-ctx.Done()
				if took := time.Since(start); took != c.want {
					t.Errorf("the request's time was over after %v, want %v", took, c.want)
				}
				if cause := context.Cause(ctx); cause != over || timer.Cause() != over {
					t.Errorf("the causes are %v and %v", cause, timer.Cause())
				}
			})
		})
	}
	var none *Timer // of a job without a limit
	none.Pause()
	none.Resume()
	if cause := none.Cause(); cause != nil {
		t.Errorf("a job without a limit ends with %v", cause)
	}
}
