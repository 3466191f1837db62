package depot_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise6"
)

// BenchmarkNote keeps the latest 64 scans. No two operations have the same event; each
// scan is compared with its event at once, and again before another takes its place.
func BenchmarkNote(b *testing.B) {
	r := newRand(b)
	events := make([]depot.Event, 64)
	for i := range events {
		events[i] = randomEvent(r)
	}
	kept := make([]*depot.Scan, len(events))

	clock := rand.Int64N(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		place := i % len(events)
		e := &events[place]
		if old := kept[place]; old != nil && old.Event() != *e {
			b.Fatalf("a scan has changed\n  got:  %+v\n  want: %+v", old.Event(), *e)
		}
		e.Millis = (e.Millis + clock) % (maxMillis + 1)
		e.Parcel = (e.Parcel + clock) % (maxParcel + 1)
		e.Grams = (e.Grams + i) % (maxGrams + 1)
		scan := depot.Note(*e)
		if scan.Event() != *e {
			b.Fatalf("wrong event\n  got:  %+v\n  want: %+v", scan.Event(), *e)
		}
		kept[place] = scan
	}
}
