package cinema_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"onthestack/exercises/exercise1"
)

// show writes the first few seats.
func show(seats []cinema.Seat) string {
	if len(seats) > 8 {
		return fmt.Sprint(seats[:8], " … ", len(seats), " seats")
	}
	return fmt.Sprint(seats)
}

// check compares what Free returns, and that it changes nothing. The list may have twice the room that it
// needs, as one has that grew by append.
func check(t *testing.T, hall []cinema.Row, want []cinema.Seat) []cinema.Seat {
	t.Helper()
	before := make([][]bool, len(hall))
	for i, row := range hall {
		before[i] = slices.Clone(row.Sold)
	}
	got := cinema.Free(hall)
	if !slices.Equal(got, want) {
		t.Fatalf("wrong seats in a hall of %d rows\n  got:  %s\n  want: %s", len(hall), show(got), show(want))
	}
	if len(want) == 0 && got != nil {
		t.Fatalf("no seat is free, and the result is not nil\n  rows: %d\n  got:  %#v\n  want: nil", len(hall), got)
	}
	if cap(got) > 2*len(got) {
		t.Fatalf("the list has room for many more seats than are free\n  rows: %d\n  got:  room for %d\n"+
			"  want: room for %d", len(hall), cap(got), len(got))
	}
	for i, row := range hall {
		if !slices.Equal(row.Sold, before[i]) {
			t.Fatalf("Free changes row %d\n  got:  %v\n  want: %v", row.Number, row.Sold, before[i])
		}
	}
	return got
}

func TestFree(t *testing.T) {
	type seats = []cinema.Seat
	for _, test := range []struct {
		name string
		hall []cinema.Row
		want seats
	}{
		{"no hall", nil, nil},
		{"no rows", []cinema.Row{}, nil},
		{"a row without seats", []cinema.Row{{Number: 1}}, nil},
		{"sold out", []cinema.Row{{1, []bool{true, true}}, {2, []bool{true}}}, nil},
		{"one seat", []cinema.Row{{1, []bool{false}}}, seats{{1, 1}}},
		{"the last of a row", []cinema.Row{{1, []bool{true, true, false}}}, seats{{1, 3}}},
		{"the first of each row", []cinema.Row{{1, []bool{false, true}}, {2, []bool{false, true}}},
			seats{{1, 1}, {2, 1}}},
		{"rows out of order", []cinema.Row{{7, []bool{false}}, {3, []bool{false, false}}},
			seats{{7, 1}, {3, 1}, {3, 2}}},
		{"the same row twice", []cinema.Row{{1, []bool{false}}, {1, []bool{false}}}, seats{{1, 1}, {1, 1}}},
		{"a row without a number", []cinema.Row{{0, []bool{false}}, {-1, []bool{false}}}, seats{{0, 1}, {-1, 1}}},
		{"an empty row between others", []cinema.Row{{1, []bool{false}}, {2, nil}, {3, []bool{false}}},
			seats{{1, 1}, {3, 1}}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.hall, test.want) })
	}
}

// Halls that are nearly empty, half full and nearly sold out.
func TestRandomHalls(t *testing.T) {
	r := newRand(t)
	for range 300 {
		hall, free := newHall(r, r.IntN(30), 1+r.IntN(60), 1+r.IntN(12))
		check(t, hall, free)
	}
}

// Every number of free seats, and numbers on both sides of each power of two.
func TestEveryNumber(t *testing.T) {
	r := newRand(t)
	for n := range 300 {
		hall, free := hallOf(r, n)
		check(t, hall, free)
	}
	for n := 512; n <= 1<<12; n *= 2 {
		for _, n := range []int{n - 1, n, n + 1, n + 1 + r.IntN(n)} {
			hall, free := hallOf(r, n)
			check(t, hall, free)
		}
	}
	// More than 128 KiB and more than 1 MiB of seats.
	for n := 1 << 14; n <= 1<<16; n *= 4 {
		hall, free := hallOf(r, n+1+r.IntN(n/8))
		check(t, hall, free)
	}
}

// A hall without a free seat costs no allocation, whatever its size.
func TestSoldOut(t *testing.T) {
	r := newRand(t)
	for range 30 {
		hall := make([]cinema.Row, 1+anySize(r, 300))
		for i := range hall {
			hall[i] = cinema.Row{Number: i + 1, Sold: slices.Repeat([]bool{true}, anySize(r, 300))}
		}
		check(t, hall, nil)
		if got := testing.AllocsPerRun(10, func() { cinema.Free(hall) }); got > 0 {
			t.Fatalf("a hall that is sold out costs memory\n  rows: %d\n  got:  %v allocs/op\n  want: 0", len(hall), got)
		}
	}
}

// A row may be longer than any other, and a hall may have more rows than any other.
func TestLongRowsAndManyRows(t *testing.T) {
	r := newRand(t)
	hall, free := newHall(r, 3, 80_000, 2)
	check(t, hall, free)
	hall, free = newHall(r, 80_000, 1, 3)
	check(t, hall, free)
	last := 1<<16 + 1 + r.IntN(1<<10) // a number of more than 16 bits
	long := cinema.Row{Number: last, Sold: slices.Repeat([]bool{true}, last)}
	long.Sold[last-1] = false
	check(t, []cinema.Row{long}, []cinema.Seat{{Row: last, Number: last}})
	hall, _ = newHall(r, 1000, 0, 1)
	for i := range hall {
		hall[i].Sold = slices.Repeat([]bool{true}, 200)
	}
	check(t, hall, nil)
}

// The caller changes each result and appends to it, and the others stay as they were.
func TestResultsAreTheCallers(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{1, 2, 3, 20, 100, 5000} {
		hall, free := hallOf(r, n)
		var kept [][]cinema.Seat
		for i := range 4 {
			got := check(t, hall, free)
			kept = append(kept, got)
			for j := range got {
				got[j].Row = -i
			}
			got = append(got, cinema.Seat{Row: i, Number: -1})
			got[len(got)-1].Row++
		}
		for i, seats := range kept {
			for j, seat := range seats {
				if want := (cinema.Seat{Row: -i, Number: free[j].Number}); seat != want {
					t.Fatalf("a later call changes an earlier result\n  seats: %d\n  call:  %d of 4\n  got:   %v\n"+
						"  want:  %v", n, i+1, seat, want)
				}
			}
		}
	}
}

// The hall lives no longer than its caller needs it, however long the list does.
func TestKeepsNothing(t *testing.T) {
	free, sold := freeOfNew()
	for range 3 {
		runtime.GC()
	}
	if sold.Value() != nil {
		t.Errorf("the list of %d seats keeps a row", len(free))
	}
	runtime.KeepAlive(free)
}

// freeOfNew returns the free seats of a hall, and a pointer to one of its rows that does not keep it alive.
//
//go:noinline
func freeOfNew() ([]cinema.Seat, weak.Pointer[bool]) {
	sold := make([]bool, 100)
	return cinema.Free([]cinema.Row{{Number: 1, Sold: sold}}), weak.Make(&sold[0])
}

// Goroutines list the seats of the same hall at once. The race detector finds out whether one of them
// writes to it.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	hall, free := newHall(r, 20, 30, 3)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 50 {
				if got := cinema.Free(hall); !slices.Equal(got, free) {
					t.Errorf("wrong seats when goroutines ask at once\n  got:  %s\n  want: %s", show(got), show(free))
					return
				}
			}
		})
	}
	calls.Wait()
}
