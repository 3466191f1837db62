package sandbox

import (
	"context"
	"time"
)

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
