package gate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise26"
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

// An input is a line, and what Parse must return for it.
type input struct {
	line string
	want gate.Weighing
	ok   bool
}

// newSize returns a number from 0 to most-1. All orders of magnitude are equally likely, so
// that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64())) - 1
}

// digits returns least to most digits.
func digits(r *rand.Rand, least, most int) string {
	text := make([]byte, least+r.IntN(most-least+1))
	for i := range text {
		text[i] = byte('0' + r.IntN(10))
	}
	return string(text)
}

func newParcel(r *rand.Rand) string {
	return string([]byte{byte('A' + r.IntN(26)), byte('A' + r.IntN(26))}) + digits(r, 9, 9)
}

// newNote returns a note of n characters.
func newNote(r *rand.Rand, n int) string {
	const letters = "aabbc ,:;0123456789g\té世\r\x00\u2028"
	all := []rune(letters)
	text := make([]rune, n)
	for i := range text {
		text[i] = all[r.IntN(len(all))]
	}
	return string(text)
}

// newInput returns a line of the log with a note of n characters, or with none if n is
// negative.
func newInput(r *rand.Rand, n int) input {
	belt, parcel, grams := digits(r, 1, 9), newParcel(r), digits(r, 1, 9)
	in := input{line: "belt " + belt + ": " + parcel + " " + grams + "g", ok: true}
	in.want.Belt, _ = strconv.Atoi(belt)
	in.want.Grams, _ = strconv.Atoi(grams)
	in.want.Parcel = parcel
	if n >= 0 {
		in.want.Note = newNote(r, n)
		in.line += " " + in.want.Note
	}
	return in
}

// spoiled returns a line that is almost one of the log.
func spoiled(r *rand.Rand) input {
	line := newInput(r, r.IntN(20)-10).line
	i := r.IntN(strings.Index(line, "g") + 1)
	switch r.IntN(5) {
	case 0:
		line = line[:i] + line[i+1:]
	case 1:
		line = line[:i] + string(line[i]) + line[i:]
	case 2:
		line = line[:i] + "٣" + line[i+1:]
	case 3:
		line = line[:i] + string("aZ0 :g\n\xff"[r.IntN(8)]) + line[i+1:]
	case 4:
		line = line[:i]
	}
	return input{line: line}
}

// wrong says what is wrong with a result, "" if nothing is.
func (in input) wrong(got gate.Weighing, ok bool) string {
	if got == in.want && ok == in.ok {
		return ""
	}
	text := func(w gate.Weighing) string {
		return fmt.Sprintf("{%d %q %d %.60q}", w.Belt, w.Parcel, w.Grams, w.Note)
	}
	return fmt.Sprintf("wrong result of Parse\n  line: %.80q, %d bytes\n  got:  %s, %t\n  want: %s, %t", in.line,
		len(in.line), text(got), ok, text(in.want), in.ok)
}
