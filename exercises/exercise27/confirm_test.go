package booking_test

import (
	"errors"
	"testing"

	"onthestack/exercises/exercise27"
)

// BenchmarkReadConfirmGuests reads rows with guests of all names and lengths. Any of the other
// columns may be null.
func BenchmarkReadConfirmGuests(b *testing.B) {
	r := newRand(b)
	rows := make([]row, 499)
	for i := range rows {
		length := 2 + newSize(r, 60)
		if i%50 == 0 {
			length = 1 + newSize(r, 1<<17)
		}
		rows[i] = newRow(r, length)
		rows[i].null[1] = false
	}
	read(b, rows)
}

// BenchmarkReadConfirmNoGuest reads rows whose guest is null.
func BenchmarkReadConfirmNoGuest(b *testing.B) {
	r := newRand(b)
	rows := make([]row, 499)
	for i := range rows {
		rows[i] = newRow(r, 10)
		rows[i].null[1] = true
	}
	read(b, rows)
}

// BenchmarkReadConfirmErrors reads rows that cannot be scanned.
func BenchmarkReadConfirmErrors(b *testing.B) {
	r := newRand(b)
	rows := make([]row, 499)
	for i := range rows {
		rows[i] = newRow(r, newSize(r, 60))
		rows[i].err, rows[i].stored = errors.New("out of range"), r.IntN(6)
	}
	read(b, rows)
}

// read reads one of the rows in each operation.
func read(b *testing.B, rows []row) {
	wants := make([]booking.Booking, len(rows))
	for i, row := range rows {
		wants[i] = row.want()
	}
	r := booking.NewReader(endless(rows...))
	i := 0
	for b.Loop() {
		at := i % len(rows)
		if got, err := r.Read(); got != wants[at] || err != rows[at].err {
			b.Fatalf("wrong booking\n  got:  %s, error %v\n  want: %s, error %v", show(got), err, show(wants[at]),
				rows[at].err)
		}
		i++
	}
}
