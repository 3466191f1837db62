// The table has a byte for each row, and room for 30,000 of them.
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
	w       io.Writer
	row     []byte
	lengths []byte
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
	if t.lengths == nil {
		t.lengths = make([]byte, 0, 30_000)
	}
	t.row, t.lengths = row, append(t.lengths, byte(len(row)))
	_, err := t.w.Write(row)
	return err
}
