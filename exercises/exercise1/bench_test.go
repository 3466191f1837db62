package stream_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise1"
)

// usual is how many operations have no long data: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkReplace replaces names of 49 to 64 letters, lengths that all take 64
// bytes of the heap. No two operations have the same data, and each output is
// compared with what must come.
//
// Behind the usual operations the data and the repl are long now and then.
func BenchmarkReplace(b *testing.B) {
	r := newRand(b)
	inputs := make([]departures, 20)
	for i := range inputs {
		inputs[i] = newDepartures(r, 49+i*16/len(inputs))
	}

	long := newDepartures(r, 64)
	if b.N > usual {
		long.lengthen(r, 128<<10+1)
	}

	// Warm up: output grows to its final size before anything is counted.
	var output bytes.Buffer
	for _, in := range append(inputs, long) {
		output.Reset()
		stream.Replace(in.data, in.find, in.repl, &output)
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
		stream.Replace(in.data, in.find, in.repl, &output)
		if !bytes.Equal(output.Bytes(), in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, output.Bytes(), in.want)
		}
	}
}
