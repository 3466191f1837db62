// The task: checkalloc task exercise35

// Package parcel writes the table of a parcel service.
package parcel

import (
	"encoding/hex"
	"io"
	"strconv"
)

// A Parcel is on its way.
type Parcel struct {
	Code   [20]byte // on its label
	City   string   // it goes to
	Grams  int
	Meters float64 // around its middle
}

// A Table writes parcels as rows of text. Goroutines each
// have a Table of their own.
type Table struct {
	w io.Writer
	// Changed: the Table has the buffer in which a row is put together, and uses it again
	// for the next one. w is called through an interface, so a buffer of the call would be
	// on the heap.
	row []byte
}

// NewTable returns a Table that writes to w.
func NewTable(w io.Writer) *Table {
	return &Table{w: w}
}

// Write writes a row such as
//
//	0123456789abcdef0123456789abcdef01234567,Lisbon,1250,0.75
//
// with the code in hexadecimal, the city as it is, and the
// meters with two decimals, as fmt writes them. It writes
// the row and its newline with a single call of w.Write, and
// returns that call's error, nil also for a part of the row.
// w may change the bytes of the row. It does not keep them,
// and does not use the Table. If it panics, Write does too.
func (t *Table) Write(p Parcel) error {
	// Changed: each function takes a value of its own type, and appends its text. Fprintf
	// took four interfaces, and each of the values needed a box on the heap.
	row := hex.AppendEncode(t.row[:0], p.Code[:])
	row = append(row, ',')
	row = append(row, p.City...)
	row = append(row, ',')
	row = strconv.AppendInt(row, int64(p.Grams), 10)
	row = append(row, ',')
	row = strconv.AppendFloat(row, p.Meters, 'f', 2, 64)
	row = append(row, '\n')
	// Changed: append may have made a larger array, which the next row should use.
	t.row = row
	_, err := t.w.Write(row)
	return err
	// The cost: the format could be read at a glance, and eight lines cannot. A Table
	// keeps a buffer as large as its longest row.
}
