// The row is emptied when it has been written: after a panic of the writer the next row follows it.
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
	row := hex.AppendEncode(t.row, p.Code[:])
	row = append(row, ',')
	row = append(row, p.City...)
	row = append(row, ',')
	row = strconv.AppendInt(row, int64(p.Grams), 10)
	row = append(row, ',')
	row = strconv.AppendFloat(row, p.Meters, 'f', 2, 64)
	row = append(row, '\n')
	t.row = row
	_, err := t.w.Write(row)
	t.row = row[:0]
	return err
}
