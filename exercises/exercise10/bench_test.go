package climate_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise10"
)

// A benchBus answers without a lock and without allocating.
type benchBus struct{ clock uint32 }

func (bus *benchBus) Do(t *climate.Transaction) error {
	for i := 1; i < len(t.Messages); i += 2 {
		v := value(t.Addr, t.Messages[i-1].Data[0], bus.clock)
		into := t.Messages[i].Data
		into[0], into[1] = byte(v>>8), byte(v)
	}
	return nil
}

// sixes is how many operations read six registers: the checker's figures are over these,
// and a pass is confirmed over many more.
const sixes = 1001

// BenchmarkRead reads six registers and, after these operations, one to eight, of which
// now and then two are the same. In each operation they have other values, and each value
// is compared with what must come.
func BenchmarkRead(b *testing.B) {
	r := newRand(b)
	addr := uint16(r.Uint32())
	all := randomReadings(r, 8)
	readings := all[:6]
	var bus benchBus
	board := climate.NewBoard(&bus, addr)

	// Warm up: memory that a Board keeps is there before anything is counted.
	if err := board.Read(all); err != nil {
		b.Fatal(err)
	}

	clock := rand.Uint32() // not from r: no call of this function repeats another's values
	b.ResetTimer()
	for i := range b.N {
		if i > sixes {
			readings = all[:1+i%8]
			if i%16 == 0 {
				readings[0].Register = readings[len(readings)-1].Register
			}
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
	}
}
