// A writer that takes less than the row gets the rest with another call.
package parcel

import (
	"encoding/hex"
	"io"
	"strconv"
)

type Parcel struct {
	Code   [20]byte
	City   string
	Grams  int
	Meters float64
}

type Table struct {
	w   io.Writer
	row []byte
}

func NewTable(w io.Writer) *Table { return &Table{w: w} }

func (t *Table) Write(p Parcel) error {
	row := hex.AppendEncode(t.row[:0], p.Code[:])
	row = append(row, ',')
	row = append(row, p.City...)
	row = append(row, ',')
	row = strconv.AppendInt(row, int64(p.Grams), 10)
	row = append(row, ',')
	row = strconv.AppendFloat(row, p.Meters, 'f', 2, 64)
	row = append(row, '\n')
	t.row = row
	n, err := t.w.Write(row)
	for err == nil && n > 0 && n < len(row) {
		row = row[n:]
		n, err = t.w.Write(row)
	}
	return err
}
