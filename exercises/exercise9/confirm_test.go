package depot_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise9"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// targets of BenchmarkNote by itself, with inputs of other classes.

// BenchmarkNoteConfirm notes events of depots with names of up to 25 letters.
func BenchmarkNoteConfirm(b *testing.B) {
	r := newRand(b)
	names := make([]string, 64)
	for i := range names {
		names[i] = randomDepot(r, 25)
	}
	confirm(b, r, names)
}

// BenchmarkNoteConfirmLong notes events of depots with names of more than 25 letters, up to 1 MiB.
func BenchmarkNoteConfirmLong(b *testing.B) {
	r := newRand(b)
	const part = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch "
	long := strings.Repeat(part, 1<<20/len(part)+1)
	names := make([]string, 64)
	for i := range names {
		names[i] = long[:25+anySize(r, 1<<20-25)]
	}
	confirm(b, r, names)
}

// confirm notes events of depots with these names and keeps the latest scans, one for each name. No two
// operations have the same event. Each scan is compared with its event at once, and again before another
// takes its place.
func confirm(b *testing.B, r *rand.Rand, names []string) {
	events := make([]depot.Event, len(names))
	for i, name := range names {
		events[i] = randomEvent(r)
		events[i].Depot = name
	}
	kept := make([]*depot.Scan, len(events))

	clock := rand.Int64N(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		place := i % len(events)
		e := &events[place]
		if old := kept[place]; old != nil && old.Event() != *e {
			b.Fatalf("a scan has changed\n  got:  %.200v\n  want: %.200v", old.Event(), *e)
		}
		e.Millis = (e.Millis + clock) % (maxMillis + 1)
		e.Parcel = (e.Parcel + clock) % (maxParcel + 1)
		e.Grams = (e.Grams + i) % (maxGrams + 1)
		scan := depot.Note(*e)
		if scan.Event() != *e {
			b.Fatalf("wrong event\n  got:  %.200v\n  want: %.200v", scan.Event(), *e)
		}
		kept[place] = scan
		i++
	}
}
