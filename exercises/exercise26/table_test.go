package parcel_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise26"
)

// rows has what each call of Write was given. It overwrites it afterwards, and fails with err.
type rows struct {
	written []string
	err     error
}

func (w *rows) Write(row []byte) (int, error) {
	w.written = append(w.written, string(row))
	for i := range row {
		row[i] = '!'
	}
	return len(row), w.err
}

// write compares what Write writes, and its error.
func write(t *testing.T, table *parcel.Table, w *rows, p parcel.Parcel) {
	t.Helper()
	w.written = nil
	if err := table.Write(p); err != w.err {
		t.Fatalf("wrong error\n  parcel: %.80v\n  got:    %v\n  want:   %v", p, err, w.err)
	}
	if len(w.written) != 1 {
		t.Fatalf("the row is not written with a single call\n  parcel: %.80v\n  got:    %d calls of w.Write\n"+
			"  want:   1", p, len(w.written))
	}
	if got, want := w.written[0], row(p); got != want {
		t.Fatalf("wrong row\n  got:  %.40q … %.40q, %d bytes\n  want: %.40q … %.40q, %d bytes", got, end(got), len(got),
			want, end(want), len(want))
	}
}

// end returns the last bytes of a text.
func end(s string) string { return s[max(0, len(s)-40):] }

func TestWrite(t *testing.T) {
	w := &rows{}
	table := parcel.NewTable(w)
	code := [20]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 19: 0x0f}
	var full [20]byte
	for i := range full {
		full[i] = 0xff
	}
	for _, p := range []parcel.Parcel{
		{code, "Lisbon", 1250, 0.75},
		{},
		{City: "São Paulo, \"SP\"\n"},
		{City: "%d%s%!"},
		{City: "\x00\xff"},
		{[20]byte{11: 1}, "x", -1, -1},
		{full, "", 1, 1},
	} {
		write(t, table, w, p)
	}
}

func TestNumbers(t *testing.T) {
	w := &rows{}
	table := parcel.NewTable(w)
	for n := 1; n > 0; n *= 2 {
		for _, grams := range []int{n - 1, n, -n, math.MaxInt, math.MinInt} {
			write(t, table, w, parcel.Parcel{Grams: grams, Meters: float64(n) / 7})
		}
	}
	for n := 1; n > 0 && n < math.MaxInt/10; n *= 10 {
		write(t, table, w, parcel.Parcel{Grams: n - 1, Meters: 1 / float64(n)})
		write(t, table, w, parcel.Parcel{Grams: -n, Meters: float64(n)})
	}
	for _, meters := range []float64{
		0, math.Copysign(0, -1), 0.004, 0.005, 0.015, 0.025, 0.125, 0.995, 0.9949999, 9.995, 99.999, -0.001,
		16777217.25, 1e15 / 7, 1e22, 1.005, 2.675, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.NaN(), math.Inf(1), math.Inf(-1),
	} {
		write(t, table, w, parcel.Parcel{Meters: meters})
	}
}

// Parcels of all kinds, of which long ones and short ones follow each other.
func TestRandomParcels(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	table := parcel.NewTable(w)
	for n := range 500 {
		write(t, table, w, newParcel(r, n%50*r.IntN(10)))
	}
	for range 200 {
		p := parcel.Parcel{Meters: math.Float64frombits(r.Uint64()), Grams: int(r.Uint64())}
		write(t, table, w, p)
	}
}

// Cities with names of all lengths.
func TestLongRows(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	for n := 1; n <= 1<<20; n *= 4 {
		table := parcel.NewTable(w)
		p := newParcel(r, 10)
		p.City = strings.Repeat("Lisbon ", (n+r.IntN(n))/7+1)
		write(t, table, w, p)
		p.City = p.City[:len(p.City)/2]
		write(t, table, w, p)
		write(t, table, w, parcel.Parcel{City: "x"})
	}
}

func TestErrors(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	table := parcel.NewTable(w)
	for i := range 50 {
		w.err = nil
		if i%3 > 0 {
			w.err = errors.New("disk full")
		}
		write(t, table, w, newParcel(r, i))
	}
}

// A nested writer uses a table of its own for each row that it gets.
type nested struct {
	rows
	table *parcel.Table
	inner *rows
	t     *testing.T
}

func (n *nested) Write(row []byte) (int, error) {
	write(n.t, n.table, n.inner, parcel.Parcel{City: "elsewhere, far away", Grams: len(row)})
	return n.rows.Write(row)
}

func TestTwoTables(t *testing.T) {
	r := newRand(t)
	inner := &rows{}
	outer := &nested{table: parcel.NewTable(inner), inner: inner, t: t}
	table, third := parcel.NewTable(outer), parcel.NewTable(inner)
	for i := range 50 {
		write(t, table, &outer.rows, newParcel(r, i))
		write(t, third, inner, newParcel(r, 50-i))
	}
}

// The memory of a table is bounded by its longest row.
func TestMemory(t *testing.T) {
	for _, n := range []int{1, 1000, 100_000} {
		got := kept(1+200/n, func() *parcel.Table {
			w := &rows{}
			table := parcel.NewTable(w)
			for i := range 20 {
				write(t, table, w, parcel.Parcel{City: strings.Repeat("x", n-i%min(n, 5))})
			}
			w.written = nil
			return table
		})
		if want := 8<<10 + 2*(n+100); got > want {
			t.Errorf("a table keeps more memory than its longest row takes\n  city: %d bytes\n  got:  %d bytes\n"+
				"  want: at most %d bytes", n, got, want)
		}
	}
}

// Each goroutine has a table of its own.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var clerks sync.WaitGroup
	for range 8 {
		p := newParcel(r, 50)
		want := row(p)
		clerks.Go(func() {
			w := &rows{}
			table := parcel.NewTable(w)
			for range 100 {
				w.written = nil
				if err := table.Write(p); err != nil || len(w.written) != 1 || w.written[0] != want {
					t.Errorf("wrong row when goroutines each have a table\n  got:  %.60q, %v\n  want: %.60q, <nil>",
						w.written, err, want)
					return
				}
			}
		})
	}
	clerks.Wait()
}
