package climate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"onthestack/exercises/exercise15"
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
	for range 12 {
		check(t, &bus, board, addr, randomReadings(r, anySize(r, 16<<10)))
		check(t, &bus, board, addr, randomReadings(r, r.IntN(9)))
	}
	check(t, &bus, board, addr, randomReadings(r, 1<<16+1+r.IntN(1<<16)))
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
	for i := range 40 {
		n := 1 + i
		if i >= 20 {
			n = anySize(r, 10_000)
		}
		bus := testBus{err: noAnswer, failAt: r.IntN(2*n + 1)}
		board := climate.NewBoard(&bus, 0x40)
		readings := randomReadings(r, n)
		before := slices.Clone(readings)
		if err := board.Read(readings); err != noAnswer {
			t.Fatalf("wrong error for %d readings when the bus fails\n  got:  %v\n  want: %v", n, err, noAnswer)
		}
		if !slices.Equal(readings, before) {
			t.Fatalf("the bus fails at message %d of %d, and readings change\n  got:  %s\n  want: %s", bus.failAt, 2*n,
				few(readings, 0), few(before, 0))
		}
		bus.err = nil
		check(t, &bus, board, 0x40, readings)
	}
}

// If Do does not return, because it panics or ends its goroutine, so does Read. No value
// changes, and the next Read is not impaired: it neither waits nor has another result.
func TestBusDoesNotReturn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as finishes requires
	r := newRand(t)
	for _, test := range []struct {
		name  string
		leave func()
	}{
		{"panics", func() { panic("no bus") }},
		{"ends its goroutine", runtime.Goexit},
	} {
		t.Run(test.name, func(t *testing.T) {
			var bus testBus
			board := climate.NewBoard(&bus, 0x40)
			for range 20 {
				readings := randomReadings(r, anySize(r, 100))
				before := slices.Clone(readings)
				failAt := 2*r.IntN(len(readings)) + 1
				bus.pause = func(message int) {
					if message == failAt {
						test.leave()
					}
				}
				returned := false
				read := func() {
					defer func() { recover() }()
					board.Read(readings)
					returned = true
				}
				if !finishes(read) {
					t.Fatalf("Read of %d registers waits for ever, after Reads in which the bus did not return",
						len(readings))
				}
				if returned {
					t.Fatal("Read returns although Do did not: a panic of the bus belongs to the caller of Read")
				}
				if !slices.Equal(readings, before) {
					t.Fatalf("the bus does not return after message %d of %d, and readings change\n  got:  %s\n"+
						"  want: %s", failAt, 2*len(readings), few(readings, 0), few(before, 0))
				}

				bus.pause = nil
				again := slices.Clone(readings)
				if !finishes(func() { board.Read(again) }) {
					t.Fatalf("Read of %d registers waits for ever, after one in which the bus did not return",
						len(readings))
				}
				check(t, &bus, board, 0x40, readings)
			}
		})
	}
}

// finishes calls f on a goroutine of its own and reports whether that ends. On a single
// processor it would run as soon as this one gives way, unless it waits for something.
func finishes(f func()) bool {
	var done atomic.Bool
	go func() {
		defer done.Store(true)
		f()
	}()
	for range 10_000 {
		if done.Load() {
			return true
		}
		runtime.Gosched()
	}
	return done.Load()
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
	const limit, count, rounds = 4096, 50, 400
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

// The Board lives on, the readings that it was given do not, nor the list of which they
// were a part. After an error it is the same.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	var bus failingBus
	board := climate.NewBoard(&bus, 0x40)
	for n := range 25 {
		if n > 10 {
			n = anySize(r, 1000)
		}
		if bus.err = nil; r.IntN(3) == 0 {
			bus.err = errors.New("no answer")
		}
		readings := readNew(r, board, n)
		for range 3 {
			runtime.GC()
		}
		if readings.Value() != nil {
			t.Fatalf("the Board keeps the readings that it was given\n  readings: %d\n  error:    %v", n, bus.err)
		}
	}
	readNew(r, board, 8) // so the Board was alive all along
}

// A failingBus fails if it has an error.
type failingBus struct {
	benchBus
	err error
}

func (bus *failingBus) Do(t *climate.Transaction) error {
	if bus.err != nil {
		return bus.err
	}
	return bus.benchBus.Do(t)
}

// readNew reads n registers into a part of a list, and returns a pointer to the list that
// does not keep it alive.
//
//go:noinline
func readNew(r *rand.Rand, board *climate.Board, n int) weak.Pointer[climate.Reading] {
	list := make([]climate.Reading, n+anySize(r, 100))
	from := r.IntN(len(list) - n)
	board.Read(list[from:][:n])
	return weak.Make(&list[0])
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
		if n == 5 {
			readings = randomReadings(r, 100+anySize(r, 2000))
		}
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
