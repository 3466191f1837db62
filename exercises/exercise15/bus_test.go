package climate_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise15"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// value returns what is in a register of a chip at the given time.
func value(addr uint16, register uint8, clock uint32) uint16 {
	h := (uint32(addr)<<8 | uint32(register)) * 0x9e3779b1
	h = (h ^ clock) * 0x85ebca6b
	return uint16(h ^ h>>15)
}

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

// A testBus answers for every chip, and remembers the first thing that is wrong
// with what it is given. In the middle of each value it calls pause. When it is done, it
// leaves nothing of the transaction as it was: that belongs to the bus.
type testBus struct {
	pause func(message int)

	mu           sync.Mutex // as goroutines call Do at once
	clock        uint32
	transactions int
	registers    []uint8 // of the last transaction
	addr         uint16  // of the last transaction
	err          error   // what Do returns
	failAt       int     // the message at which it does
	wrong        error
}

func (bus *testBus) Do(t *climate.Transaction) error {
	bus.mu.Lock()
	clock := bus.clock
	bus.transactions++
	addr := t.Addr
	bus.addr = addr
	bus.registers = bus.registers[:0]
	if len(t.Messages)%2 != 0 || len(t.Messages) == 0 {
		bus.complain("%d messages: want two for each reading", len(t.Messages))
	}
	for i, m := range t.Messages {
		switch {
		case i%2 == 0 && (m.Fill || len(m.Data) != 1):
			bus.complain("message %d of %d has %d bytes, Fill %t: want 1 byte to the chip", i, len(t.Messages),
				len(m.Data), m.Fill)
		case i%2 == 1 && (!m.Fill || len(m.Data) != 2):
			bus.complain("message %d of %d has %d bytes, Fill %t: want 2 bytes from the chip", i, len(t.Messages),
				len(m.Data), m.Fill)
		case i%2 == 0:
			bus.registers = append(bus.registers, m.Data[0])
		}
	}
	messages := slices.Clone(t.Messages)
	err, failAt, wrong := bus.err, bus.failAt, bus.wrong
	bus.mu.Unlock()
	if wrong != nil {
		return wrong
	}

	// Without the lock: calls at once meet here.
	for i, m := range messages {
		if err != nil && i >= failAt {
			return err
		}
		if m.Fill {
			v := value(addr, messages[i-1].Data[0], clock)
			m.Data[0] = byte(v >> 8)
			if bus.pause != nil {
				bus.pause(i)
			}
			m.Data[1] = byte(v)
		}
	}
	if !slices.EqualFunc(t.Messages, messages, same) {
		return errors.New("the messages change while Do is at work with them")
	}
	for i := range t.Messages {
		t.Messages[i] = climate.Message{Fill: i%2 == 0}
	}
	*t = climate.Transaction{Addr: ^t.Addr}
	return err
}

// same reports whether two messages have the same bytes, in one place.
func same(a, b climate.Message) bool {
	return a.Fill == b.Fill && len(a.Data) == len(b.Data) && &a.Data[0] == &b.Data[0]
}

// anySize returns a number from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// A memory says what is in a value and in everything that it leads to, but for
// the tests' own.
type memory struct {
	strings.Builder
	turns bool // there is a lock, a Pool or a channel, with which goroutines can take turns
}

func memoryOf(pointer any) *memory {
	m := &memory{}
	m.add(reflect.ValueOf(pointer), map[any]bool{})
	return m
}

func (m *memory) add(v reflect.Value, seen map[any]bool) {
	type place struct {
		kind    reflect.Type
		address uintptr
	}
	switch {
	case m.turns:
		return // what else there is does not matter then
	case v.Kind() == reflect.Chan, strings.HasPrefix(v.Type().PkgPath(), "sync"):
		m.turns = true
		return
	case v.Kind() == reflect.Pointer && v.Type().Elem().PkgPath() == reflect.TypeFor[memory]().PkgPath():
		return
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice:
		fmt.Fprintf(m, "%#x ", v.Pointer())
		if at := (place{v.Type(), v.Pointer()}); v.IsNil() || seen[at] {
			return
		} else {
			seen[at] = true
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.add(v.Elem(), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.add(v.Field(i), seen)
		}
	case reflect.Slice:
		fmt.Fprintf(m, "%d ", v.Len())
		if v.Type().Elem().Kind() == reflect.Uint8 {
			m.Write(v.Slice(0, v.Cap()).Bytes()) // one by one, a megabyte would take seconds
			return
		}
		for i := range v.Cap() {
			m.add(v.Slice(0, v.Cap()).Index(i), seen)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.add(v.Index(i), seen)
		}
	case reflect.Map:
		var entries []string
		for all := v.MapRange(); all.Next(); {
			entry := &memory{}
			entry.add(all.Key(), seen)
			entry.add(all.Value(), seen)
			entries = append(entries, entry.String())
			m.turns = m.turns || entry.turns
		}
		slices.Sort(entries)
		fmt.Fprintf(m, "%q ", entries)
	default:
		fmt.Fprintf(m, "%v ", v)
	}
}

// complain is called with the lock held.
func (bus *testBus) complain(format string, args ...any) {
	if bus.wrong == nil {
		bus.wrong = fmt.Errorf(format, args...)
	}
}

// randomReadings returns n readings of any registers, some more than once, with
// any values.
func randomReadings(r *rand.Rand, n int) []climate.Reading {
	readings := make([]climate.Reading, n)
	for i := range readings {
		readings[i] = climate.Reading{Register: uint8(r.Uint32()), Value: uint16(r.Uint32())}
		if i > 0 && r.IntN(8) == 0 {
			readings[i].Register = readings[i-1].Register
		}
	}
	return readings
}
