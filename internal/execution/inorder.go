package execution

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// InOrder calls work for 0 to n-1, concurrently on all processors, and yields each number with a function that waits
// for its result and error. When the caller stops iterating or ctx ends, all work has ended before InOrder returns.
func InOrder[T any](
	ctx context.Context, n int, work func(ctx context.Context, i int) (T, error),
) iter.Seq2[int, func() (T, error)] {
	return func(yield func(int, func() (T, error)) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make([]func() (T, error), n)
		for i := range results {
			results[i] = sync.OnceValues(func() (T, error) { return work(ctx, i) })
		}
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		var begun atomic.Int64
		for range min(runtime.NumCPU(), n) {
			workers.Go(func() {
				// Work that has not begun when ctx ends is done by the caller if it asks for the result, and soon over.
				for i := begun.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = begun.Add(1) - 1 {
					results[i]()
				}
			})
		}
		for i, result := range results {
			if !yield(i, result) {
				return
			}
		}
	}
}
