package booking_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise27"
)

// compare reads all rows of a driver and compares the bookings, in the end once more.
func compare(t *testing.T, d *driver) {
	t.Helper()
	r := booking.NewReader(d)
	var got []booking.Booking
	for i, row := range d.rows {
		b, err := r.Read()
		got = append(got, b)
		if err != row.err {
			t.Fatalf("wrong error\n  row:  %d\n  got:  %v\n  want: %v", i+1, err, row.err)
		}
		if want := row.want(); b != want {
			t.Fatalf("wrong booking\n  row:  %d, null %v\n  got:  %s\n  want: %s", i+1, row.null, show(b), show(want))
		}
		if d.nexts != i+1 || d.scans != i+1 {
			t.Fatalf("Read does not read one row\n  row:  %d\n  got:  %d calls of Next, %d of Scan\n"+
				"  want: %[1]d of each", i+1, d.nexts, d.scans)
		}
	}
	atEnd(t, r, d)
	for i, row := range d.rows {
		if want := row.want(); got[i] != want {
			t.Fatalf("a later call of Read changes an earlier booking\n  row:  %d\n  got:  %s\n  want: %s", i+1,
				show(got[i]), show(want))
		}
	}
}

// show formats a booking.
func show(b booking.Booking) string {
	return fmt.Sprintf("%d %.60q (%d bytes) bed %d nights %d paid %v", b.ID, b.Guest, len(b.Guest), b.Bed, b.Nights, b.Paid)
}

// atEnd reads after the last row, twice.
func atEnd(t *testing.T, r *booking.Reader, d *driver) {
	t.Helper()
	want := d.err
	if want == nil {
		want = io.EOF
	}
	for range 2 {
		if b, err := r.Read(); b != (booking.Booking{}) || err != want {
			t.Fatalf("wrong end of the rows\n  rows: %d\n  got:  %s, error %v\n  want: an empty booking, error %v",
				len(d.rows), show(b), err, want)
		}
	}
	if d.scans != len(d.rows) {
		t.Fatalf("Read scans a row that is not there\n  got:  %d calls of Scan\n  want: %d", d.scans, len(d.rows))
	}
}

func TestRead(t *testing.T) {
	full := booking.Booking{ID: 4711, Guest: "Silvia Southquay", Bed: 12, Nights: 3, Paid: true}
	compare(t, query(
		row{Booking: full},
		row{Booking: booking.Booking{}},
		row{Booking: booking.Booking{ID: -1, Guest: "x", Bed: math.MinInt64, Nights: math.MaxInt64}},
		row{Booking: booking.Booking{ID: math.MaxInt64, Guest: "\x00\xff é\n", Paid: true}},
		row{Booking: full},
	))
	compare(t, query())
}

// A column that is null has no value of the row before it.
func TestNull(t *testing.T) {
	r := newRand(t)
	full := row{Booking: booking.Booking{ID: 4711, Guest: "Silvia Southquay", Bed: 12, Nights: 3, Paid: true}}
	for columns := range 32 {
		some := newRow(r, 10)
		for i := range some.null {
			some.null[i] = columns>>i&1 == 1
		}
		compare(t, query(some, full, some, some, full))
	}
}

func TestRandomRows(t *testing.T) {
	r := newRand(t)
	for n := range 100 {
		rows := make([]row, n)
		for i := range rows {
			rows[i] = newRow(r, r.IntN(40)*r.IntN(2))
		}
		compare(t, query(rows...))
	}
}

// The error of a row is that of its Read only, and what Scan has stored before it is nobody's.
func TestErrors(t *testing.T) {
	r := newRand(t)
	for range 100 {
		rows := make([]row, 20)
		for i := range rows {
			rows[i] = newRow(r, r.IntN(20))
			if r.IntN(2) == 0 {
				rows[i].err = []error{errors.New("out of range"), io.EOF, io.ErrUnexpectedEOF}[r.IntN(3)]
				rows[i].stored = r.IntN(6)
			}
		}
		d := query(rows...)
		if r.IntN(2) == 0 {
			d.err = errors.New("connection lost")
		}
		compare(t, d)
	}
}

// An error that ends the rows, also before the first one.
func TestEndsWithAnError(t *testing.T) {
	r := newRand(t)
	for n := range 5 {
		var rows []row
		for range n {
			rows = append(rows, newRow(r, 10))
		}
		d := query(rows...)
		d.err = errors.New("connection lost")
		compare(t, d)
	}
}

// Guests with names of every length.
func TestLongGuests(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<20; n *= 4 {
		var rows []row
		for _, length := range []int{n + r.IntN(n), n, 1, n + r.IntN(n), 0} {
			guest := newRow(r, 3)
			guest.Guest = strings.Repeat("x", length) + guest.Guest
			guest.null[1] = false
			rows = append(rows, guest)
		}
		compare(t, query(rows...))
	}
}

// Guests whose names have the same length, or begin alike, in rows that follow each other.
func TestAlike(t *testing.T) {
	long := strings.Repeat("Southquay", 20)
	var rows []row
	for i, guest := range []string{
		"Silvia", "Silvio", "Silvi", "Silvia", "silvia", "", "Silvia", long + "a", long + "b", long, "a" + long, "b" + long,
	} {
		rows = append(rows, row{Booking: booking.Booking{ID: int64(i), Guest: guest}}, row{Booking: booking.Booking{
			ID: int64(i), Guest: guest,
		}})
	}
	compare(t, query(rows...))
}

// The bookings of two readers have nothing to do with one another, even if the driver of one
// uses the other one in the middle of a Scan.
func TestTwoReaders(t *testing.T) {
	r := newRand(t)
	var inner, outer []row
	for range 50 {
		inner, outer = append(inner, newRow(r, r.IntN(30))), append(outer, newRow(r, r.IntN(30)))
	}
	second := booking.NewReader(query(inner...))
	d := query(outer...)
	d.scanning = func(n int) {
		if got, err := second.Read(); got != inner[n-1].want() || err != nil {
			t.Fatalf("wrong booking of a reader that another one's driver uses\n  row:  %d\n  got:  %s, error %v\n"+
				"  want: %s", n, show(got), err, show(inner[n-1].want()))
		}
	}
	compare(t, d)
}

// guests returns rows whose guests have different names of n bytes, or some more.
func guests(rows, n int) (all []row) {
	name := strings.Repeat("x", n)
	for i := range rows {
		number := strconv.Itoa(i)
		all = append(all, row{Booking: booking.Booking{ID: int64(i), Guest: number + name[min(n, len(number)):]}})
	}
	return all
}

// There is no limit to the rows.
func TestManyRows(t *testing.T) {
	compare(t, query(guests(20_000, 12)...))
}

// A reader keeps a row at most, however many it has read.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ rows, guest int }{
		{3, 10}, {10_000, 10}, {1000, 1000}, {10, newSize(r, 1<<14)},
	} {
		got := kept(4, func() *booking.Reader {
			d := endless(guests(2000, test.guest)...)
			reader := booking.NewReader(d)
			for range test.rows {
				if _, err := reader.Read(); err != nil {
					t.Fatal(err)
				}
			}
			d.rows, d.text = nil, nil
			return reader
		})
		if want := 8<<10 + 2*test.guest; got > want {
			t.Errorf("a reader keeps more memory than a row takes\n  rows:  %d\n  guest: %d bytes\n  got:   %d bytes\n"+
				"  want:  at most %d bytes", test.rows, test.guest, got, want)
		}
	}
}

// A booking that is kept does not keep the names of others.
func TestFewAreKept(t *testing.T) {
	const few, each = 1000, 20
	for _, guest := range []int{10, 26, 40, 2000} {
		got := kept(1, func() []booking.Booking {
			reader := booking.NewReader(endless(guests(500, guest)...))
			bookings := make([]booking.Booking, 0, few)
			for i := range few * each {
				b, err := reader.Read()
				if err != nil {
					t.Fatal(err)
				}
				if i%each == each/2 {
					bookings = append(bookings, b)
				}
			}
			return bookings
		})
		if want := 8<<10 + few*(64+guest+guest/4); got > want {
			t.Errorf("a few bookings of many keep more memory than they take\n  bookings: %d of %d\n"+
				"  guest:    %d bytes\n  got:      %d bytes\n  want:     at most %d bytes", few, few*each, guest, got, want)
		}
	}
}

// Each goroutine has a reader of its own.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	rows := make([]row, 50)
	for i := range rows {
		rows[i] = newRow(r, 20)
	}
	var handlers sync.WaitGroup
	for range 8 {
		handlers.Go(func() {
			reader := booking.NewReader(query(rows...))
			for i, row := range rows {
				if got, err := reader.Read(); got != row.want() || err != nil {
					t.Errorf("wrong booking when goroutines each have a reader\n  row:  %d\n  got:  %s, error %v\n"+
						"  want: %s", i+1, show(got), err, show(row.want()))
					return
				}
			}
		})
	}
	handlers.Wait()
}
