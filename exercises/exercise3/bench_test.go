package scan_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise3"
)

// usual is how many operations have no long input: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkReplace replaces names of 129 to 256 letters and, behind the usual
// operations, now and then one of more than 128 KiB. No two operations have the same data,
// and each output is compared with what must come.
func BenchmarkReplace(b *testing.B) {
	r := newRand(b)
	inputs := make([]departures, 40)
	for i := range inputs {
		inputs[i] = newDepartures(r, 129+i*128/len(inputs))
	}

	var long departures
	if b.N > usual {
		long = newDepartures(r, 128<<10+1)
		long.lengthen(r, 128<<10+1)
	}

	// Warm up: output grows to its final size before anything is counted.
	var output bytes.Buffer
	for _, in := range append(inputs, long) {
		output.Reset()
		scan.Replace(in.data, in.find, in.repl, &output)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		in := &inputs[i%len(inputs)]
		if i > usual && i%2500 == 2000 {
			in = &long
		}
		in.setTimes(clock + i)
		output.Reset()
		scan.Replace(in.data, in.find, in.repl, &output)
		if !bytes.Equal(output.Bytes(), in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, output.Bytes(), in.want)
		}
	}
}
