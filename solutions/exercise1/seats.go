// The task: checkalloc task exercise1

// Package cinema sells the seats of a hall.
package cinema

// A Seat is one place in a hall.
type Seat struct {
	Row    int
	Number int // in its row, from 1
}

// A Row is one row of a hall.
type Row struct {
	Number int
	Sold   []bool // of each seat: Sold[0] is that of seat 1
}

// Free returns the seats that are not sold, row by row, in
// the order of their numbers. If there is none, it returns
// nil. A hall may have any number of rows, and a row any
// number of seats.
//
// The result is the caller's, to change and to append to.
// Free changes nothing in rows, and goroutines may call it
// at once.
func Free(rows []Row) []Seat {
	// Changed: the seats are counted before there is a list. Going through the rows
	// a second time costs less than one allocation, and nothing is copied.
	n := 0
	for _, row := range rows {
		for _, sold := range row.Sold {
			if !sold {
				n++
			}
		}
	}
	// Changed: make([]Seat, 0, 0) is not nil, although it does not allocate either.
	if n == 0 {
		return nil
	}
	// Changed: append never finds the array full, so it never makes another one. The
	// number of all seats would do for one allocation as well, but a hall that is
	// nearly sold out would then have a list with room for all of its seats.
	free := make([]Seat, 0, n)
	for _, row := range rows {
		for i, sold := range row.Sold {
			if !sold {
				free = append(free, Seat{row.Number, i + 1})
			}
		}
	}
	return free
	// The cost: the condition is written twice, and the two must stay the same. If
	// it were expensive to ask, or the rows could be read only once, the bound or
	// slices.Clip of a grown list would be the better choice.
}
