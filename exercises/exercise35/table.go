// The task: checkalloc task exercise35

// Package parcel writes the table of a parcel service.
package parcel

import (
	"fmt"
	"io"
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
	_, err := fmt.Fprintf(t.w, "%x,%s,%d,%.2f\n", p.Code, p.City, p.Grams, p.Meters)
	return err
}
