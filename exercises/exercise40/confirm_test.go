package scan_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise40"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkReplace by itself, with inputs of other classes.

// BenchmarkReplaceConfirm replaces names of up to 300 letters. No two operations have the same data. Some
// have no find, no data or no repl, and output holds something already in every other round.
func BenchmarkReplaceConfirm(b *testing.B) {
	r := newRand(b)
	inputs := newOthers(r, 0, 300)
	for range 40 {
		inputs = append(inputs, newDepartures(r, anySize(r, 300)))
	}
	confirm(b, inputs, nil)
}

// BenchmarkReplaceConfirmLong has a long find, long data and a long repl in one of 250 operations, of more
// than 128 KiB too, which no variable on the stack can hold.
func BenchmarkReplaceConfirmLong(b *testing.B) {
	r := newRand(b)
	confirm(b, newOthers(r, 33, 64), newLong(r))
}

// confirm calls Replace with each of the inputs in turn, with one of rare in 250 operations, and compares
// the outputs.
func confirm(b *testing.B, inputs, rare []departures) {
	const holds = "kept "
	most := 0
	for _, in := range slices.Concat(inputs, rare) {
		most = max(most, len(in.want))
	}
	output := bytes.NewBuffer(make([]byte, 0, len(holds)+most))

	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		in := &inputs[i%len(inputs)]
		if len(rare) > 0 && i%250 == 0 {
			in = &rare[i/250%len(rare)]
		}
		output.Reset()
		if i/len(inputs)%2 == 0 {
			output.WriteString(holds)
		}
		before := output.Len()
		in.setTimes(clock + i)
		scan.Replace(in.data, in.find, in.repl, output)
		if got := output.Bytes()[before:]; !bytes.Equal(got, in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, got, in.want)
		}
		i++
	}
}
