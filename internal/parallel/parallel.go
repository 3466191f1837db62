// Package parallel does the same work for many items on all processors, and yields the results in order. The commands
// use it that check exercises, measure listings or try mutants.
package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// InOrder does work for 0 to n-1, as much at a time as there are processors, and yields each number with a function
// that waits for its result. Whoever breaks off, or sees ctx end, leaves nothing running.
func InOrder[T any](ctx context.Context, n int, work func(ctx context.Context, i int) T) iter.Seq2[int, func() T] {
	return func(yield func(int, func() T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		var over atomic.Bool // nobody waits for a result any more
		defer func() {
			over.Store(true)
			cancel()
			workers.Wait()
		}()

		results := make([]chan T, n)
		next := make(chan int, n)
		for i := range results {
			results[i] = make(chan T, 1)
			next <- i
		}
		close(next)
		for range min(runtime.NumCPU(), n) {
			workers.Go(func() {
				for i := range next {
					if over.Load() {
						return
					}
					results[i] <- work(ctx, i) // work itself ends soon once ctx has
				}
			})
		}
		for i, result := range results {
			if !yield(i, func() T { return <-result }) {
				return
			}
		}
	}
}
