package depot_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise9"
)

// check notes an event and asks for it again.
func check(t *testing.T, e depot.Event) *depot.Scan {
	t.Helper()
	scan := depot.Note(e)
	if scan == nil {
		t.Fatalf("Note returns no scan\n  event: %+v\n  got:   nil\n  want:  a scan", e)
	}
	if got := scan.Event(); got != e {
		t.Fatalf("wrong event%s", difference(got, e))
	}
	return scan
}

// difference shows the fields that differ, as a failure does.
func difference(got, want depot.Event) string {
	var is, wanted strings.Builder
	field := func(name string, got, want any) {
		if got != want {
			fmt.Fprintf(&is, " %s:%v", name, got)
			fmt.Fprintf(&wanted, " %s:%v", name, want)
		}
	}
	field("Damaged", got.Damaged, want.Damaged)
	field("Parcel", got.Parcel, want.Parcel)
	field("Grams", got.Grams, want.Grams)
	field("Express", got.Express, want.Express)
	field("Signed", got.Signed, want.Signed)
	field("Millis", got.Millis, want.Millis)
	field("Depot", got.Depot, want.Depot)
	field("Sector", got.Sector, want.Sector)
	field("Cents", got.Cents, want.Cents)
	field("Belt", got.Belt, want.Belt)
	return fmt.Sprintf("\n  event: %+v\n  got:  %s\n  want: %s", want, is.String(), wanted.String())
}

// Each number at the ends of its range, and on both sides of every power of two in
// it, which is where the smaller types end.
func TestRanges(t *testing.T) {
	for _, field := range []struct {
		name     string
		min, max int64
		set      func(e *depot.Event, n int64)
	}{
		{"Parcel", 0, maxParcel, func(e *depot.Event, n int64) { e.Parcel = n }},
		{"Grams", 0, maxGrams, func(e *depot.Event, n int64) { e.Grams = int(n) }},
		{"Millis", 0, maxMillis, func(e *depot.Event, n int64) { e.Millis = n }},
		{"Sector", -1, maxSector, func(e *depot.Event, n int64) { e.Sector = int(n) }},
		{"Cents", 0, maxCents, func(e *depot.Event, n int64) { e.Cents = n }},
		{"Belt", -1, maxBelt, func(e *depot.Event, n int64) { e.Belt = int(n) }},
	} {
		t.Run(field.name, func(t *testing.T) {
			var e depot.Event
			for _, n := range []int64{field.min, field.max} {
				field.set(&e, n)
				check(t, e)
			}
			for power := int64(1); power <= field.max; power *= 2 {
				for n := max(power-1, field.min); n <= min(power+1, field.max); n++ {
					field.set(&e, n)
					check(t, e)
				}
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for i := range 8 {
		check(t, depot.Event{Damaged: i&1 != 0, Express: i&2 != 0, Signed: i&4 != 0})
	}
}

func TestDepots(t *testing.T) {
	for _, name := range []string{
		"", "A", "Aalen", "Zürich", "Llanfairpwll", "\x00", "depot\x00", strings.Repeat("long ", 1000),
	} {
		check(t, depot.Event{Depot: name, Parcel: maxParcel, Belt: -1})
	}
}

// A name is any text, of any length, also beyond 1 MiB, whatever else is in the event.
func TestLongDepots(t *testing.T) {
	r := newRand(t)
	const part = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch "
	long := strings.Repeat(part, (1<<20+100+r.IntN(3<<20))/len(part))
	for i := range 60 {
		e := randomEvent(r)
		if e.Depot = long[:anySize(r, len(long))]; i == 0 {
			e.Depot = long
		}
		if got := depot.Note(e).Event(); got != e {
			name := e.Depot
			t.Fatalf("wrong event of a depot with a long name\n  depot: %.40q and so on, %d bytes\n"+
				"  got:   %.40q, %d bytes, Parcel:%d\n  want:  %.40q, %d bytes, Parcel:%d",
				name, len(name), got.Depot, len(got.Depot), got.Parcel, name, len(name), e.Parcel)
		}
	}
}

// All fields at one end, each with all others at the other.
func TestEnds(t *testing.T) {
	low := depot.Event{Sector: -1, Belt: -1}
	high := depot.Event{
		Damaged: true, Express: true, Signed: true, Depot: "Depot", Parcel: maxParcel, Grams: maxGrams,
		Millis: maxMillis, Sector: maxSector, Cents: maxCents, Belt: maxBelt,
	}
	for _, pair := range [][2]depot.Event{{low, high}, {high, low}} {
		check(t, pair[0])
		for i, set := range []func(e, from *depot.Event){
			func(e, from *depot.Event) { e.Damaged = from.Damaged },
			func(e, from *depot.Event) { e.Parcel = from.Parcel },
			func(e, from *depot.Event) { e.Grams = from.Grams },
			func(e, from *depot.Event) { e.Express = from.Express },
			func(e, from *depot.Event) { e.Signed = from.Signed },
			func(e, from *depot.Event) { e.Millis = from.Millis },
			func(e, from *depot.Event) { e.Depot = from.Depot },
			func(e, from *depot.Event) { e.Sector = from.Sector },
			func(e, from *depot.Event) { e.Cents = from.Cents },
			func(e, from *depot.Event) { e.Belt = from.Belt },
		} {
			e := pair[0]
			set(&e, &pair[1])
			if e == pair[0] {
				t.Fatalf("field %d has one value in both events", i)
			}
			check(t, e)
		}
	}
}

// Scans are kept: each one stays what it was, whatever is noted after it.
func TestKept(t *testing.T) {
	r := newRand(t)
	events := make([]depot.Event, 1500)
	scans := make([]*depot.Scan, len(events))
	known := make(map[*depot.Scan]bool)
	for i := range events {
		events[i] = randomEvent(r)
		if i > 0 && r.IntN(10) == 0 {
			events[i] = events[i-1] // the same event twice makes two scans
		}
		scans[i] = check(t, events[i])
		if known[scans[i]] {
			t.Fatalf("scan %d is one that was made before: Note must make a Scan of its own", i+1)
		}
		known[scans[i]] = true
	}
	for i, scan := range scans {
		if got := scan.Event(); got != events[i] {
			t.Fatalf("a scan has changed\n  got:  %+v\n  want: %+v", got, events[i])
		}
	}
}

// A scan is never changed, so goroutines may read it at once: neither does asking for
// its event leave anything in it.
func TestNeverChanged(t *testing.T) {
	r := newRand(t)
	for range 100 {
		e := randomEvent(r)
		e.Depot = randomDepot(r, 5000)
		scan := depot.Note(e)
		before := *scan
		for range 3 {
			scan.Event()
			if !reflect.DeepEqual(*scan, before) {
				t.Fatalf("Event changes the scan\n  got:  %+v\n  want: %+v", *scan, before)
			}
		}
	}
}

// A caller may change the events that it gets without any effect on a scan.
func TestEventsAreCopies(t *testing.T) {
	r := newRand(t)
	e := randomEvent(r)
	want := e
	scan := check(t, e)
	e.Parcel, e.Depot, e.Belt = 0, "", -1
	got := scan.Event()
	got.Parcel, got.Depot, got.Belt = 0, "", -1
	if got := scan.Event(); got != want {
		t.Fatalf("a scan has changed with an event\n  got:  %+v\n  want: %+v", got, want)
	}
}

// Goroutines note events at once and read the same scans at once.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	rounds := 200
	if runtime.NumCPU() == 1 {
		rounds = 2 // goroutines that take turns do not meet more often in more rounds
	}
	var shared []depot.Event
	var scans []*depot.Scan
	for range 10 {
		e := randomEvent(r)
		e.Depot = randomDepot(r, 5000)
		shared, scans = append(shared, e), append(scans, depot.Note(e))
	}
	var calls sync.WaitGroup
	start := make(chan struct{})
	for range 4 {
		e := randomEvent(r)
		calls.Go(func() {
			<-start
			for i := range rounds {
				if got := depot.Note(e).Event(); got != e {
					t.Errorf("wrong event when goroutines note at once%s", difference(got, e))
					return
				}
				scan, want := scans[i%len(scans)], shared[i%len(scans)]
				if got := scan.Event(); got != want {
					t.Errorf("wrong event when goroutines read a scan at once%s", difference(got, want))
					return
				}
			}
		})
	}
	close(start)
	calls.Wait()
}
