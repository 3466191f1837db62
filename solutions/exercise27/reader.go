// The task: checkalloc task exercise27

// Package booking reads the bookings of a hostel from its
// database.
package booking

import "io"

// A Booking is a guest's booking of a bed.
type Booking struct {
	ID     int64
	Guest  string
	Bed    int64 // 0: none yet
	Nights int64
	Paid   bool
}

// Rows are the rows that a query has found.
type Rows interface {
	// Next goes on to the next row. It returns false if
	// there is none, or if an error has ended the rows.
	Next() bool

	// Scan stores the columns of the row where dest points:
	// a number at an *int64, a truth value at a *bool, and
	// a text at a *[]byte. A column that is null leaves its
	// destination as it is. The bytes of a text belong to
	// the driver, and the next call of Next overwrites them.
	// Scan neither keeps nor changes dest.
	Scan(dest ...any) error

	// Err returns the error that has ended the rows, nil if
	// there are simply no more.
	Err() error
}

// A Reader reads bookings from rows, whose columns are the
// fields of a Booking, in order. It is for one goroutine.
type Reader struct {
	rows Rows

	// Changed: Scan stores each row here. Its arguments are pointers in interfaces, which
	// the driver might keep, so what they point to has to be on the heap. The Reader is
	// there already.
	row   Booking
	guest []byte

	// Changed: the list of these places is the same for each row. A call of Scan with five
	// arguments makes a slice of five interfaces, and that slice went to the heap too.
	dest [5]any
}

// NewReader returns a Reader of rows.
func NewReader(rows Rows) *Reader {
	r := &Reader{rows: rows}
	r.dest = [...]any{&r.row.ID, &r.guest, &r.row.Bed, &r.row.Nights, &r.row.Paid}
	return r
	// The cost: a Reader points into itself, so it must not be copied.
}

// Read returns the booking in the next row, and reads no
// further. A column that is null gives a zero value.
// Callers keep some of the bookings for a long time, so none
// shares memory with the driver or with another booking.
//
// After the last row the error is io.EOF, or the error that
// has ended the rows. The error of a row that cannot be
// scanned is that of Scan, and the next call goes on with
// the row after it. With an error, the booking is empty.
func (r *Reader) Read() (Booking, error) {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return Booking{}, err
		}
		return Booking{}, io.EOF
	}
	// Changed: variables of the call began empty, and these do not. A null would leave what
	// the row before has stored. They are emptied before Scan, not after it, because a Scan
	// that fails may have stored some of the columns.
	r.row, r.guest = Booking{}, nil
	if err := r.rows.Scan(r.dest[:]...); err != nil {
		return Booking{}, err
	}
	// The result is a copy of the row. The string is the allocation that is left: a copy of
	// bytes that the driver uses again.
	b := r.row
	b.Guest = string(r.guest)
	return b, nil
}
