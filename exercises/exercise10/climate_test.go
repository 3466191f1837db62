package climate_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"weak"

	"onthestack/exercises/exercise10"
)

// check reads registers at another time and compares everything that Read's
// comment promises.
func check(t *testing.T, bus *testBus, board *climate.Board, addr uint16, readings []climate.Reading) {
	t.Helper()
	bus.clock += 77
	before := bus.transactions

	// After the readings lie others that are none of Read's business.
	behind := climate.Reading{Register: 1, Value: 0xbeef}
	whole := append(slices.Clone(readings), behind, behind)
	want := slices.Clone(whole)
	var registers []uint8
	for i, r := range readings {
		registers = append(registers, r.Register)
		want[i].Value = value(addr, r.Register, bus.clock)
	}

	if err := board.Read(whole[:len(readings)]); err != nil {
		t.Fatalf("Read returns an error for %d registers\n  registers: %s\n  got:       error %v\n"+
			"  want:      error <nil>", len(registers), few(registers, 0), err)
	}
	for i := range whole {
		if whole[i] != want[i] {
			t.Fatalf("wrong reading %d of %d, or of the two after them, shown from there on\n  registers: %s\n"+
				"  got:       %s\n  want:      %s",
				i, len(readings), few(registers, i), few(whole, i), few(want, i))
		}
	}
	if len(readings) == 0 {
		if bus.transactions != before {
			t.Fatal("Read without readings uses the bus")
		}
		return
	}
	if n := bus.transactions - before; n != 1 {
		t.Fatalf("wrong number of transactions for %d registers\n  got:  %d\n  want: 1", len(readings), n)
	}
	if bus.addr != addr || !slices.Equal(bus.registers, registers) {
		t.Fatalf("the bus was given another address, or other registers\n  got:  %#x, %s\n  want: %#x, %s", bus.addr,
			few(bus.registers, 0), addr, few(registers, 0))
	}
}

// few is what a failure says of a list: of many from one on the next ones.
func few[T any](list []T, from int) string {
	if rest := list[min(from, len(list)):]; len(rest) > 20 {
		return fmt.Sprint(rest[:20]) + " …"
	}
	return fmt.Sprint(list[min(from, len(list)):])
}

func TestRead(t *testing.T) {
	r := newRand(t)
	addr := uint16(r.Uint32())
	var bus testBus
	board := climate.NewBoard(&bus, addr)
	for _, test := range []struct {
		name      string
		registers []uint8
	}{
		{"one", []uint8{0x10}},
		{"none", nil},
		{"two", []uint8{0x10, 0x11}},
		{"the same twice", []uint8{0x10, 0x10}},
		{"the first and the last", []uint8{0, 255}},
		{"out of order", []uint8{9, 1, 7, 3}},
		{"eight", []uint8{1, 2, 3, 4, 5, 6, 7, 8}},
		{"nine", []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"one after nine", []uint8{5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var readings []climate.Reading
			for _, register := range test.registers {
				readings = append(readings, climate.Reading{Register: register, Value: 0x5555})
			}
			check(t, &bus, board, addr, readings)
		})
	}
}

// One Board reads few and many registers in any order: nothing of an earlier and
// longer transaction may show in a later one.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	addr := uint16(r.Uint32())
	var bus testBus
	board := climate.NewBoard(&bus, addr)
	lengths := r.Perm(140)
	for _, n := range append(lengths, 300, 1, 8, 9, 8, 0, 16, 17, 16, 2) {
		check(t, &bus, board, addr, randomReadings(r, n))
	}
	for _, n := range append(beyond(r, 8<<10), 1<<16+r.IntN(1<<12)) {
		check(t, &bus, board, addr, randomReadings(r, n))
		check(t, &bus, board, addr, randomReadings(r, r.IntN(9)))
	}
}

// Boards on one bus have nothing in common but the bus.
func TestTwoBoards(t *testing.T) {
	r := newRand(t)
	var bus testBus
	left, right := climate.NewBoard(&bus, 0x40), climate.NewBoard(&bus, 0x41)
	for range 20 {
		check(t, &bus, left, 0x40, randomReadings(r, r.IntN(20)))
		check(t, &bus, right, 0x41, randomReadings(r, r.IntN(20)))
	}
}

// An error comes back as it is, at whichever message it happens, and no value
// changes, though the chip has filled some. The next Read is not impaired.
func TestError(t *testing.T) {
	r := newRand(t)
	noAnswer := errors.New("no answer")
	for n := 1; n <= 20; n++ {
		bus := testBus{err: noAnswer, failAt: r.IntN(2*n + 1)}
		board := climate.NewBoard(&bus, 0x40)
		readings := randomReadings(r, n)
		before := slices.Clone(readings)
		if err := board.Read(readings); err != noAnswer {
			t.Fatalf("wrong error for %d readings when the bus fails\n  got:  %v\n  want: %v", n, err, noAnswer)
		}
		if !slices.Equal(readings, before) {
			t.Fatalf("the bus fails at message %d of %d, and readings change\n  got:  %v\n  want: %v", bus.failAt, 2*n,
				readings, before)
		}
		bus.err = nil
		check(t, &bus, board, 0x40, readings)
	}
}

// The values of one Read are the caller's: the next Read leaves them alone.
func TestValuesStay(t *testing.T) {
	r := newRand(t)
	var bus testBus
	board := climate.NewBoard(&bus, 0x40)
	first := randomReadings(r, 6)
	if err := board.Read(first); err != nil {
		t.Fatal(err)
	}
	kept := slices.Clone(first)
	for n := range 12 {
		check(t, &bus, board, 0x40, randomReadings(r, n))
	}
	if !slices.Equal(first, kept) {
		t.Fatalf("later calls of Read change the readings of an earlier one\n  got:  %v\n  want: %v", first, kept)
	}
}

// Goroutines share what a Board keeps from one Read to the next, such as free memory.
// So it has to be protected, for example by a Mutex. This test finds out without
// goroutines whether it is.
func TestTurns(t *testing.T) {
	r := newRand(t)
	var bus testBus
	board := climate.NewBoard(&bus, 0x40)
	before := memoryOf(board).String()
	during := before
	bus.pause = func(message int) {
		if message == 1 {
			during = memoryOf(board).String()
		}
	}
	for n := range 20 {
		check(t, &bus, board, 0x40, randomReadings(r, n))
		if m := memoryOf(board); !m.turns && (during != before || m.String() != before) {
			t.Fatalf("Read of %d registers changes the Board, which goroutines share, "+
				"and the Board has nothing that makes them take turns", n)
		}
	}
}

// Boards are measured when they are new and after many usual transactions.
func TestStaysSmall(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	const limit, count, rounds = 4096, 50, 130
	var bus benchBus
	readings := randomReadings(newRand(t), 8)
	boards := make([]*climate.Board, count)

	before := heap()
	for round := range rounds {
		for i, board := range boards {
			if board == nil {
				boards[i] = climate.NewBoard(&bus, uint16(i))
			} else if err := board.Read(readings[:round%9]); err != nil {
				t.Fatal(err)
			}
		}
		if round%64 > 0 {
			continue
		}
		if each := (heap() - before) / count; each >= limit {
			t.Fatalf("each Board takes too much after %d transactions of up to 8 registers\n  got:  %d bytes\n"+
				"  want: less than %d", round, each, limit)
		}
	}
	runtime.KeepAlive(boards)
}

// The Board lives on, the readings that it was given do not.
func TestKeepsNothing(t *testing.T) {
	var bus benchBus
	board := climate.NewBoard(&bus, 0x40)
	for _, n := range []int{8, 9, 100} {
		readings := readNew(t, board, n)
		for range 3 {
			runtime.GC()
		}
		if readings.Value() != nil {
			t.Errorf("the Board keeps %d readings", n)
		}
	}
	readNew(t, board, 8) // so the Board was alive all along
}

// readNew reads n registers, and returns a pointer to the readings that does not keep them
// alive.
//
//go:noinline
func readNew(t *testing.T, board *climate.Board, n int) weak.Pointer[climate.Reading] {
	readings := make([]climate.Reading, n)
	if err := board.Read(readings); err != nil {
		t.Fatal(err)
	}
	return weak.Make(&readings[0])
}

// An eitherBus is now one bus and now another.
type eitherBus struct{ climate.Bus }

// newOldBoard returns a Board that has been in use for longer than a benchmark takes, on a
// bus that is testing from then on.
func newOldBoard(t *testing.T, testing *testBus) *climate.Board {
	t.Helper()
	bus := &eitherBus{new(benchBus)}
	board := climate.NewBoard(bus, 0x40)
	readings := randomReadings(newRand(t), 8)
	for range 25_000 {
		if err := board.Read(readings); err != nil {
			t.Fatal(err)
		}
		readings = readings[:6] // as the benchmark does
	}
	bus.Bus = testing
	return board
}

// Goroutines read through one Board, as fast as they can.
func TestAtOnceFast(t *testing.T) {
	r := newRand(t)
	var bus benchBus
	board := climate.NewBoard(&bus, 0x40)
	var calls sync.WaitGroup
	for n := range 6 {
		readings := randomReadings(r, 1+3*n)
		calls.Go(func() {
			for range 300 {
				for i := range readings {
					readings[i].Value = 0
				}
				if err := board.Read(readings); err != nil {
					t.Errorf("Read of %d registers returns an error while others read\n  got:  %v\n  want: <nil>",
						len(readings), err)
					return
				}
				for i, got := range readings {
					if want := value(0x40, got.Register, 0); got.Value != want {
						t.Errorf("wrong reading %d of %d while others read\n  register: %d\n  got:      %d\n"+
							"  want:     %d", i, len(readings), got.Register, got.Value, want)
						return
					}
				}
				runtime.Gosched()
			}
		})
	}
	calls.Wait()
}

// Goroutines read through one Board. In the middle of each value the bus lets the
// others run, so calls that share memory meet, on a single processor too.
func TestAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRand(t)
	bus := testBus{pause: func(message int) {
		if message > 1 {
			runtime.Gosched()
			return
		}
		// A goroutine that has waited for a Mutex for more than a millisecond gets it
		// when it is unlocked, and continues before the one that unlocked it.
		time.Sleep(2 * time.Millisecond)
	}}
	for _, board := range []*climate.Board{climate.NewBoard(&bus, 0x40), newOldBoard(t, &bus)} {
		var calls sync.WaitGroup
		for n := range 8 {
			readings := randomReadings(r, 1+n*3/2) // some fit into what is usual, some do not
			calls.Go(func() {
				for range 4 {
					for i := range readings {
						readings[i].Value = 0
					}
					if err := board.Read(readings); err != nil {
						t.Errorf("Read of %d registers returns an error while others read\n  got:  %v\n  want: <nil>",
							len(readings), err)
						return
					}
					for i, got := range readings {
						if want := value(0x40, got.Register, 0); got.Value != want {
							t.Errorf("wrong reading %d of %d while others read\n  register: %d\n  got:      %d\n"+
								"  want:     %d", i, len(readings), got.Register, got.Value, want)
							return
						}
					}
				}
			})
		}
		calls.Wait()
	}
}
