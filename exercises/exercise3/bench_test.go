package scan_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise3"
)

// usual is how many operations have usual inputs: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// holds is what output holds already in some operations.
const holds = "kept "

// BenchmarkReplace replaces names of 129 to 256 letters. No two operations have the
// same data, and each output is compared with what must come.
//
// After the usual operations the inputs are of other kinds: output holds something
// already, there is no find, no data or no repl, and now and then the data and the repl
// are long, or the find is, up to more than 128 KiB.
func BenchmarkReplace(b *testing.B) {
	r := newRand(b)
	inputs := make([]departures, 40)
	for i := range inputs {
		inputs[i] = newDepartures(r, 129+i*128/len(inputs))
	}

	var others, long, finds []departures
	if b.N > usual {
		others, long = newOthers(r, 0, 300), newLong(r, 256)
		for n := 256; n <= 128<<10; n *= 2 {
			finds = append(finds, newDepartures(r, n+1+r.IntN(n/4)))
		}
	}

	// Warm up: output grows to its final size before anything is counted.
	var output bytes.Buffer
	for _, in := range slices.Concat(inputs, others, long, finds) {
		output.Reset()
		output.WriteString(holds)
		scan.Replace(in.data, in.find, in.repl, &output)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		in := &inputs[i%len(inputs)]
		output.Reset()
		switch {
		case i <= usual:
		case i%500 == 0:
			in = &long[i/500%len(long)]
		case i%500 == 250:
			in = &finds[i/500%len(finds)]
		default:
			in = &others[i%len(others)]
			if i/len(others)%2 == 0 {
				output.WriteString(holds)
			}
		}
		before := output.Len()
		in.setTimes(clock + i)
		scan.Replace(in.data, in.find, in.repl, &output)
		if got := output.Bytes()[before:]; !bytes.Equal(got, in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, got, in.want)
		}
	}
}
