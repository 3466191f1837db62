package scan_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise3"
)

// BenchmarkReplace replaces names of 129 to 256 letters. No two operations have the
// same data, and each output is compared with what must come.
func BenchmarkReplace(b *testing.B) {
	r := newRand(b)
	inputs := make([]departures, 40)
	for i := range inputs {
		inputs[i] = newDepartures(r, 129+i*128/len(inputs))
	}

	// Warm up: output grows to its final size before anything is counted.
	var output bytes.Buffer
	for _, in := range inputs {
		output.Reset()
		scan.Replace(in.data, in.find, in.repl, &output)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		in := &inputs[i%len(inputs)]
		in.setTimes(clock + i)
		output.Reset()
		scan.Replace(in.data, in.find, in.repl, &output)
		if !bytes.Equal(output.Bytes(), in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, output.Bytes(), in.want)
		}
	}
}
