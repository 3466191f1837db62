package window_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise7"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkReplace by itself, with inputs of other classes.

// BenchmarkReplaceConfirm replaces names of every length up to 64. No two operations have the same data.
// Some have no find, no data or no repl, and output holds something already in every other round.
func BenchmarkReplaceConfirm(b *testing.B) {
	r := newRand(b)
	inputs := newOthers(r, 0, 64)
	for n := 1; n <= 64; n++ {
		inputs = append(inputs, newDepartures(r, n))
	}
	confirm(b, inputs, nil)
}

// BenchmarkReplaceConfirmLong has long data and a long repl in one of 500 operations, up to 256 KiB. Its names
// are too long to be in random data again and again: the output would take gigabytes.
func BenchmarkReplaceConfirmLong(b *testing.B) {
	r := newRand(b)
	confirm(b, newOthers(r, 33, 64), newLong(r, 16, 64))
}

// confirm calls Replace with each of the inputs in turn, with one of rare in 500 operations, and compares
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
		if len(rare) > 0 && i%500 == 250 {
			in = &rare[i/500%len(rare)]
		}
		output.Reset()
		if i/len(inputs)%2 == 0 {
			output.WriteString(holds)
		}
		before := output.Len()
		in.setTimes(clock + i)
		window.Replace(in.data, in.find, in.repl, output)
		if got := output.Bytes()[before:]; !bytes.Equal(got, in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, got, in.want)
		}
		i++
	}
}
