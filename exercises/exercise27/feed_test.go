package booking_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise27"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// A row is what the database has of a booking.
type row struct {
	booking.Booking
	null   [5]bool // which columns are null
	err    error   // of Scan, after it has stored some of the columns
	stored int     // how many
}

// want returns the booking that Read has to return.
func (r row) want() (b booking.Booking) {
	if r.err != nil {
		return b
	}
	b = r.Booking
	for i, zero := range []func(){
		func() { b.ID = 0 }, func() { b.Guest = "" }, func() { b.Bed = 0 }, func() { b.Nights = 0 },
		func() { b.Paid = false },
	} {
		if r.null[i] {
			zero()
		}
	}
	return b
}

// newRow returns a row of any kind, whose guest has a name of n bytes.
func newRow(r *rand.Rand, n int) row {
	const letters = "aabcMS -',\n\u00a0é\x00\xff"
	guest := make([]byte, n)
	for i := range guest {
		guest[i] = letters[r.IntN(len(letters))]
	}
	number := func() int64 { return int64(r.Uint64()) >> r.IntN(64) }
	some := row{Booking: booking.Booking{
		ID: number(), Guest: string(guest), Bed: number(), Nights: number(), Paid: r.IntN(2) == 0,
	}}
	for i := range some.null {
		some.null[i] = r.IntN(3) == 0
	}
	return some
}

// A driver has the rows of a query.
type driver struct {
	rows    []row
	at      int    // the row, -1 before the first
	text    []byte // of the row
	err     error  // that ends the rows
	endless bool   // after the last row comes the first

	nexts, scans int         // calls
	scanning     func(n int) // is called by each Scan, unless nil
}

// query returns a driver of rows, which end.
func query(rows ...row) *driver {
	d := &driver{rows: rows, at: -1}
	for _, row := range rows {
		d.text = slices.Grow(d.text, len(row.Guest))
	}
	return d
}

// endless returns a driver of rows that have no end.
func endless(rows ...row) *driver {
	d := query(rows...)
	d.endless = true
	return d
}

func (d *driver) Next() bool {
	d.nexts++
	for i := range d.text {
		d.text[i] = '!'
	}
	if d.at < len(d.rows) {
		d.at++
	}
	if d.endless {
		d.at %= len(d.rows)
	}
	return d.at < len(d.rows)
}

func (d *driver) Err() error {
	if d.at < len(d.rows) {
		return nil
	}
	return d.err
}

func (d *driver) Scan(dest ...any) error {
	if d.scans++; d.scanning != nil {
		d.scanning(d.scans)
	}
	row := &d.rows[d.at]
	if len(dest) != len(row.null) {
		return fmt.Errorf("%d columns for %d destinations", len(row.null), len(dest))
	}
	for i, to := range dest {
		switch number, isNumber := to.(*int64); {
		case row.err != nil && i == row.stored:
			return row.err
		case row.null[i]:
		case isNumber && (i == 0 || i == 2 || i == 3):
			*number = [...]int64{row.ID, 0, row.Bed, row.Nights}[i]
		default:
			text, isText := to.(*[]byte)
			paid, isBool := to.(*bool)
			switch {
			case i == 1 && isText:
				d.text = append(d.text[:0], row.Guest...)
				*text = d.text
			case i == 4 && isBool:
				*paid = row.Paid
			default:
				return fmt.Errorf("column %d for a destination of type %T", i+1, to)
			}
		}
	}
	return row.err
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// kept returns how many bytes of the heap are in use for what make returns, on the
// average of n calls.
func kept[T any](n int, make func() T) int {
	var before, after runtime.MemStats
	var all []T
	all = slices.Grow(all, n)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		all = append(all, make())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / n
}
