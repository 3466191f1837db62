package parcel_test

import (
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise35"
)

// rows has what each call of Write was given. It overwrites it afterwards, and fails with err.
type rows struct {
	written []string
	err     error
	less    int  // how much less than the row it says that it has written
	panics  bool // whether it panics
}

func (w *rows) Write(row []byte) (int, error) {
	w.written = append(w.written, string(row))
	for i := range row {
		row[i] = '!'
	}
	if w.panics {
		panic("no paper")
	}
	return len(row) - w.less, w.err
}

// write compares what Write writes, and its error.
func write(t *testing.T, table *parcel.Table, w *rows, p parcel.Parcel) {
	t.Helper()
	w.written = nil
	if err := table.Write(p); err != w.err {
		t.Fatalf("wrong error\n  row:  %.80q\n  got:  %v\n  want: %v", row(p), err, w.err)
	}
	if len(w.written) != 1 {
		t.Fatalf("the row is not written with a single call\n  row:  %.80q\n  got:  %d calls of w.Write\n"+
			"  want: 1", row(p), len(w.written))
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
		math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), 1e15 + 0.5, 1 << 53, 1e18, -1e18,
		math.MaxInt, math.MinInt, math.Nextafter(0.005, 0), math.Nextafter(0.005, 1),
	} {
		write(t, table, w, parcel.Parcel{Meters: meters})
	}
}

// Meters that are whole or half numbers, quarters or eighths, which lie in the middle between
// two rows, and their neighbors.
func TestEighths(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	table := parcel.NewTable(w)
	for n := 1; n < 1<<46; n *= 2 {
		for range 8 {
			meters := float64(n+r.IntN(n)) / 8
			for _, m := range []float64{meters, -meters, math.Nextafter(meters, 0), math.Nextafter(meters, 1e18)} {
				write(t, table, w, parcel.Parcel{Meters: m})
			}
		}
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

// Write returns the error of the writer, and nothing else: the writer may also write less of
// a row, or say that it has written more, with an error or without one.
func TestErrors(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	table := parcel.NewTable(w)
	for i := range 200 {
		w.err, w.less = nil, 0
		if i%3 > 0 {
			w.err = []error{errors.New("disk full"), io.EOF, io.ErrShortWrite}[r.IntN(3)]
		}
		p := newParcel(r, i%50)
		if r.IntN(2) == 0 {
			w.less = r.IntN(len(row(p))+10) - 5
		}
		write(t, table, w, p)
	}
}

// A table works on after its writer has panicked.
func TestPanics(t *testing.T) {
	r := newRand(t)
	w := &rows{}
	table := parcel.NewTable(w)
	for range 100 {
		w.panics = true
		p := newParcel(r, r.IntN(60))
		if w.written = nil; !panics(table, p) {
			t.Fatalf("the writer panics and Write does not\n  row:  %.80q\n  got:  no panic\n  want: a panic", row(p))
		}
		if len(w.written) != 1 || w.written[0] != row(p) {
			t.Fatalf("wrong row of a writer that panics\n  got:  %.80q\n  want: %.80q", w.written, row(p))
		}
		w.panics = false
		write(t, table, w, newParcel(r, r.IntN(60)))
	}
}

// panics calls Write, and reports whether that panics.
func panics(table *parcel.Table, p parcel.Parcel) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	table.Write(p)
	return false
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

// The memory of a table is bounded by its longest row, however many rows it has written. The
// name of a city may be a part of a large text, which the table does not keep.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ city, rows int }{
		{5, 3}, {5, 10_000}, {1000, 20}, {newSize(r, 100_000), 20}, {100_000, 20},
	} {
		got := kept(4, func() *parcel.Table {
			w := &rows{}
			table := parcel.NewTable(w)
			text := strings.Repeat("Lisbon", 50_000)
			for i := range test.rows {
				write(t, table, w, parcel.Parcel{City: text[:test.city-i%min(test.city, 5)], Grams: i})
			}
			w.written = nil
			return table
		})
		if want := 8<<10 + 2*(test.city+100); got > want {
			t.Errorf("a table keeps more memory than its longest row takes\n"+
				"  city: %d bytes of a text of 300000 bytes\n  rows: %d\n  got:  %d bytes\n"+
				"  want: at most %d bytes", test.city, test.rows, got, want)
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
