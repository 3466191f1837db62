// Command row writes a reading as a row of a table.
package main

import (
	"fmt"
	"io"
	"strconv"
	"testing"
)

type reading struct {
	room    string
	lux     int
	celsius float64
}

// ANCHOR: fprintf
func writeFprintf(w io.Writer, r reading) error {
	_, err := fmt.Fprintf(w, "%s,%d,%.1f\n", r.room, r.lux, r.celsius)
	return err
}

// ANCHOR_END: fprintf

// ANCHOR: append
type table struct {
	w   io.Writer
	row []byte
}

func (t *table) write(r reading) error {
	b := append(t.row[:0], r.room...)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(r.lux), 10)
	b = append(b, ',')
	b = strconv.AppendFloat(b, r.celsius, 'f', 1, 64)
	b = append(b, '\n')
	t.row = b
	_, err := t.w.Write(b)
	return err
}

// ANCHOR_END: append

// ANCHOR: main
var (
	out  io.Writer = io.Discard
	hall           = reading{"hall", 1200, 20.5}
)

func main() {
	t := &table{w: out}
	fmt.Println("Fprintf:", testing.AllocsPerRun(1000, func() { writeFprintf(out, hall) }), "allocs")
	fmt.Println("append: ", testing.AllocsPerRun(1000, func() { t.write(hall) }), "allocs")
}

// ANCHOR_END: main
