package booking_test

import (
	"errors"
	"testing"

	"onthestack/exercises/exercise27"
)

// spare is how many bytes the names of the first round are cut by.
const spare = 64

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
		rows[i] = newRow(r, length+spare)
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

// read reads one of the rows in each operation. In each round, a long name is a byte longer than before, so that none
// comes twice.
func read(b *testing.B, rows []row) {
	wants, guests := make([]booking.Booking, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		wants[i], guests[i] = row.want(), row.Guest
	}
	r := booking.NewReader(endless(rows...))
	for i := 0; b.Loop(); i++ {
		at := i % len(rows)
		if n := len(guests[at]) - spare; n > 0 && wants[at].Guest != "" {
			rows[at].Guest = guests[at][:n+i/len(rows)%spare]
			wants[at].Guest = rows[at].Guest
		}
		if got, err := r.Read(); got != wants[at] || err != rows[at].err {
			b.Fatalf("wrong booking\n  got:  %s, error %v\n  want: %s, error %v", show(got), err, show(wants[at]),
				rows[at].err)
		}
	}
}
