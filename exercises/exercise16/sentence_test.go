package bridge_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// An input is what Send is called with, and what it must write.
type input struct {
	kind   string
	values []int
	want   string
}

func newInput(kind string, values ...int) input {
	all := []byte(kind)
	for _, v := range values {
		all = fmt.Appendf(all, ",%d", v)
	}
	text := string(all)
	var sum byte
	for i := range len(text) {
		sum ^= text[i]
	}
	return input{kind, values, fmt.Sprintf("$%s*%02X\r\n", text, sum)}
}

// randomInput returns an input with up to n values.
func randomInput(r *rand.Rand, n int) input {
	kind := []string{"WIND", "DEPTH", "HEADING", "SPEED", "RUDDER", strings.Repeat("X", r.IntN(200))}[r.IntN(6)]
	values := make([]int, r.IntN(n+1))
	for i := range values {
		values[i] = int(r.Uint64()) >> r.IntN(64)
	}
	return newInput(kind, values...)
}

// beyond returns lengths that no constant covers: for each power of two up to
// most one more than it, and one drawn up to its double.
func beyond(r *rand.Rand, most int) []int {
	var lengths []int
	for n := 1; n <= most; n *= 2 {
		lengths = append(lengths, n+1, n+r.IntN(n))
	}
	return lengths
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

// A display takes what it is sent in two halves, and calls between between them.
type display struct {
	between func()
	writes  int
	got     []byte
	err     error
}

func (d *display) Write(p []byte) (int, error) {
	d.writes++
	d.got = append(d.got, p[:len(p)/2]...)
	if d.between != nil {
		d.between()
	}
	d.got = append(d.got, p[len(p)/2:]...)
	if d.err != nil {
		return len(p) / 2, d.err
	}
	return len(p), nil
}

// As many a file, it has these methods, too. Send has to call Write.
func (d *display) WriteString(string) (int, error)    { return 0, errNotWrite }
func (d *display) WriteByte(byte) error               { return errNotWrite }
func (d *display) WriteAt([]byte, int64) (int, error) { return 0, errNotWrite }
func (d *display) ReadFrom(io.Reader) (int64, error)  { return 0, errNotWrite }

var errNotWrite = errors.New("another method than Write was called")

// wrong says what is wrong with what a display has got, "" for nothing.
func (d *display) wrong(in input) string {
	if string(d.got) != in.want {
		from := 0
		for from < min(len(d.got), len(in.want)) && d.got[from] == in.want[from] {
			from++
		}
		shown := max(0, from-40)
		return fmt.Sprintf("wrong sentence of %d values, from byte %d on, shown from byte %d on\n  kind: %.40q\n"+
			"  got:  %.80q\n  want: %.80q",
			len(in.values), from, shown, in.kind, d.got[shown:], in.want[shown:])
	}
	if d.writes != 1 {
		return fmt.Sprintf("wrong number of Writes for %d values\n  kind: %.40q\n  got:  %d\n  want: 1", len(in.values),
			in.kind, d.writes)
	}
	return ""
}
