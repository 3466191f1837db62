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
	var free []Seat
	for _, row := range rows {
		for i, sold := range row.Sold {
			if !sold {
				free = append(free, Seat{row.Number, i + 1})
			}
		}
	}
	return free
}
