package accesslog_test

import (
	"testing"
	"time"

	"onthestack/exercises/exercise30"
)

// BenchmarkNext collects batches of 20 entries, which have come already.
func BenchmarkNext(b *testing.B) {
	entries := make(chan accesslog.Entry, 20)
	batcher := accesslog.NewBatcher(newClock(), entries, 20, time.Hour)
	next := func() {
		for range 20 {
			entries <- accesslog.Entry{Path: "/orders", Status: 200}
		}
		batcher.Next()
	}
	next() // the runtime allocates for the first timers of a program
	for b.Loop() {
		next()
	}
}
