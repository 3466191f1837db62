package accesslog_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"onthestack/exercises/exercise30"
)

// BenchmarkNextConfirmFull collects full batches of all sizes.
func BenchmarkNextConfirmFull(b *testing.B) {
	collect(b, func(_ *rand.Rand, size int) int { return size })
}

// BenchmarkNextConfirmIdle collects batches that are cut short, some of which have no entry.
func BenchmarkNextConfirmIdle(b *testing.B) {
	collect(b, func(r *rand.Rand, size int) int { return r.IntN(size) })
}

// collect collects batches of as many entries as number returns for the size of a batch.
func collect(b *testing.B, number func(r *rand.Rand, size int) int) {
	r := newRand(b)
	type log struct {
		instant
		entries chan accesslog.Entry
		batcher *accesslog.Batcher
	}
	logs := make([]*log, 11)
	for i := range logs {
		size := 1 + newSize(r, 400)
		entries := make(chan accesslog.Entry, size)
		idle := time.Duration(1 + newSize(r, int(24*time.Hour)))
		logs[i] = &log{instant: instant{entries: entries}, entries: entries}
		logs[i].batcher = accesslog.NewBatcher(logs[i].clock(), entries, size, idle)
	}
	status := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	for i := 0; b.Loop(); i++ {
		log := logs[i%len(logs)]
		n := number(r, cap(log.entries))
		for j := range n {
			log.entries <- accesslog.Entry{Path: "/orders", Status: status + j}
		}
		expired := log.expired
		batch, more := log.batcher.Next()
		if n < cap(log.entries) && log.expired == expired {
			b.Fatalf("Next does not wait for an entry\n  entries: %d of %d", n, cap(log.entries))
		}
		if len(batch) != n || !more {
			b.Fatalf("wrong batch\n  got:  %d entries, %v\n  want: %d entries, true", len(batch), more, n)
		}
		for j, e := range batch {
			if e.Status != status+j {
				b.Fatalf("wrong entry\n  number: %d of %d\n  got:    %d\n  want:   %d", j, n, e.Status, status+j)
			}
		}
		status++
	}
}
