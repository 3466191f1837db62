package stream_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise1"
)

// usual is how many operations have usual inputs: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// holds is what output holds already in some operations.
const holds = "kept "

// BenchmarkReplace replaces names of 49 to 64 letters, lengths that all take 64
// bytes of the heap. No two operations have the same data, and each output is
// compared with what must come.
//
// After the usual operations the inputs are of other kinds: output holds something
// already, there is no data or no repl, and now and then the data and the repl are long,
// or the find is. The other finds have 33 to 48 letters, which take 48 bytes, so that on
// average there are 64 for each.
func BenchmarkReplace(b *testing.B) {
	r := newRand(b)
	inputs := make([]departures, 20)
	for i := range inputs {
		inputs[i] = newDepartures(r, 49+i*16/len(inputs))
	}

	var others, long, finds []departures
	if b.N > usual {
		others, long, finds = newOthers(r, 33, 48), newLong(r, 48), newLongFinds(r)
	}

	// Warm up: output grows to its final size before anything is counted.
	var output bytes.Buffer
	for _, in := range slices.Concat(inputs, others, long, finds) {
		output.Reset()
		output.WriteString(holds)
		stream.Replace(in.data, in.find, in.repl, &output)
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
		case i%2500 == 1250:
			in = &finds[i/2500%len(finds)]
		default:
			in = &others[i%len(others)]
			if i/len(others)%2 == 0 {
				output.WriteString(holds)
			}
		}
		before := output.Len()
		in.setTimes(clock + i)
		stream.Replace(in.data, in.find, in.repl, &output)
		if got := output.Bytes()[before:]; !bytes.Equal(got, in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, got, in.want)
		}
	}
}

// newLongFinds returns departures to places with names of more than 64 letters. A pass is confirmed over operations
// that have the first four, and outside WebAssembly the others too. The name comes early in the data, since it takes
// long to move a large window letter by letter.
func newLongFinds(r *rand.Rand) []departures {
	var finds []departures
	for _, n := range []int{64<<10 + 1 + r.IntN(1<<10), 65, 4097, 129, 128<<10 + 1 + r.IntN(1<<10), 257, 1025, 16385} {
		d := departures{find: randomLetters(r, n), repl: randomName(r, 8)}
		d.data = slices.Concat([]byte(noTime+" to "), d.find, []byte("\n"))
		d.want = replaced(d.data, d.find, d.repl)
		d.dataTimes, d.wantTimes = timesIn(d.data), timesIn(d.want)
		finds = append(finds, d)
	}
	return finds
}
