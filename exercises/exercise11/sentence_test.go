package bridge_test

import (
	"fmt"
	"math/rand/v2"
	"os"
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
	text := kind
	for _, v := range values {
		text += fmt.Sprintf(",%d", v)
	}
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

// wrong says what is wrong with what a display has got, "" for nothing.
func (d *display) wrong(in input) string {
	if string(d.got) != in.want {
		from := 0
		for from < min(len(d.got), len(in.want)) && d.got[from] == in.want[from] {
			from++
		}
		shown := max(0, from-40)
		return fmt.Sprintf("wrong sentence of %d values, from byte %d on, shown from byte %d on\n  kind: %.40q\n  got:  %.80q\n  want: %.80q",
			len(in.values), from, shown, in.kind, d.got[shown:], in.want[shown:])
	}
	if d.writes != 1 {
		return fmt.Sprintf("wrong number of Writes for %d values\n  kind: %.40q\n  got:  %d\n  want: 1", len(in.values), in.kind, d.writes)
	}
	return ""
}
