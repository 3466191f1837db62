package main

import (
	"context"
	"errors"
)

// A queue bounds how many requests build and run at once, and how many wait for that.
type queue struct {
	places  chan struct{} // one for each request that works or waits
	workers chan struct{} // one for each that works
}

var errQueueFull = errors.New("too many requests are waiting: try again in a few seconds")

func newQueue(workers, waiting int) *queue {
	return &queue{places: make(chan struct{}, workers+waiting), workers: make(chan struct{}, workers)}
}

// enter waits for its turn and returns the function that ends it. It returns errQueueFull at once where no place is free, and
// the context's error, its place given up, when ctx is done first.
func (q *queue) enter(ctx context.Context) (leave func(), err error) {
	select {
	case q.places <- struct{}{}:
	default:
		return nil, errQueueFull
	}
	select {
	case q.workers <- struct{}{}:
		return func() { <-q.workers; <-q.places }, nil
	case <-ctx.Done():
		<-q.places
		return nil, context.Cause(ctx)
	}
}

// retryAfter is in how many seconds a refused client should try again: about when half of those before it are done.
func (q *queue) retryAfter() int {
	return 1 + len(q.places)/cap(q.workers)/2
}
