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
	type result struct {
		value T
		err   error
	}
	return func(yield func(int, func() (T, error)) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		var over atomic.Bool // the caller no longer waits for results
		defer func() {
			over.Store(true)
			cancel()
			workers.Wait()
		}()

		results := make([]chan result, n)
		next := make(chan int, n)
		for i := range results {
			results[i] = make(chan result, 1)
			next <- i
		}
		close(next)
		for range min(runtime.NumCPU(), n) {
			workers.Go(func() {
				for i := range next {
					if over.Load() {
						return
					}
					value, err := work(ctx, i) // which ends soon once ctx has
					results[i] <- result{value, err}
				}
			})
		}
		for i, result := range results {
			if !yield(i, func() (T, error) { r := <-result; return r.value, r.err }) {
				return
			}
		}
	}
}
