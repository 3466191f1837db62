package climate_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise15"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkRead by itself, with inputs of other classes.

// BenchmarkReadConfirm reads one to eight registers, of which now and then two are the same. In each
// operation they have other values, and each value is compared with what must come. The board had a large
// transaction before, and one in which the bus panicked.
func BenchmarkReadConfirm(b *testing.B) {
	r := newRand(b)
	addr := uint16(r.Uint32())
	bus := &unreliableBus{}
	board := climate.NewBoard(bus, addr)
	all := randomReadings(r, 8)
	warmUp(b, board, bus, randomReadings(r, 8+anySize(r, 1000)), all)

	clock := rand.Uint32() // not from newRand: no call of this function repeats another's values
	i := 0
	for b.Loop() {
		readings := all[:1+i%8]
		if i%16 == 0 {
			readings[0].Register = readings[len(readings)-1].Register
		}
		bus.clock = clock + uint32(i)
		readings[i%len(readings)].Register++
		if err := board.Read(readings); err != nil {
			b.Fatal(err)
		}
		for _, got := range readings {
			if want := value(addr, got.Register, bus.clock); got.Value != want {
				b.Fatalf("wrong reading\n  register: %d\n  got:      %d\n  want:     %d", got.Register, got.Value, want)
			}
		}
		i++
	}
}

// BenchmarkReadConfirmError reads one to eight registers while the bus fails.
func BenchmarkReadConfirmError(b *testing.B) {
	r := newRand(b)
	bus := &unreliableBus{}
	board := climate.NewBoard(bus, 0x40)
	all := randomReadings(r, 8)
	warmUp(b, board, bus, randomReadings(r, 8+anySize(r, 1000)), all)

	bus.err = errors.New("no answer")
	i := 0
	for b.Loop() {
		if err := board.Read(all[:1+i%8]); err != bus.err {
			b.Fatalf("wrong error\n  got:  %v\n  want: %v", err, bus.err)
		}
		i++
	}
}

// warmUp reads many registers, which leaves a Board as it was, and few, once with a bus that panics.
func warmUp(b *testing.B, board *climate.Board, bus *unreliableBus, many, few []climate.Reading) {
	bus.broken = true
	func() {
		defer func() { recover() }()
		board.Read(few)
	}()
	bus.broken = false
	for _, readings := range [][]climate.Reading{many, few} {
		if err := board.Read(readings); err != nil {
			b.Fatal(err)
		}
	}
}

// An unreliableBus panics if it is broken, and fails if it has an error.
type unreliableBus struct {
	failingBus
	broken bool
}

func (bus *unreliableBus) Do(t *climate.Transaction) error {
	if bus.broken {
		panic("broken")
	}
	return bus.failingBus.Do(t)
}
