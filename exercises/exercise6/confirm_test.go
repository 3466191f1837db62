package stream_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise6"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// targets of BenchmarkReplace by itself, with inputs of other classes. No two operations have the same data,
// and output holds something already in every other round.

// BenchmarkReplaceConfirm replaces names of 49 to 64 letters, all of which take 64 bytes of the heap. Some
// operations have no data or no repl.
func BenchmarkReplaceConfirm(b *testing.B) {
	r := newRand(b)
	inputs := newOthers(r, 49, 64)
	for n := 49; n <= 64; n++ {
		inputs = append(inputs, newDepartures(r, n))
	}
	confirm(b, inputs, nil, nil)
}

// BenchmarkReplaceConfirmLong has long data and a long repl in one of 500 operations, up to 256 KiB, and a
// long find in one of 2500. The other finds have 33 to 48 letters, which take 48 bytes, so that there are 64
// bytes on average for each.
func BenchmarkReplaceConfirmLong(b *testing.B) {
	r := newRand(b)
	confirm(b, newOthers(r, 33, 48), newLong(r, 33, 48), newLongFinds(r))
}

// newLongFinds returns departures to places with names of more than 64 letters. Only the first four are used
// under WebAssembly. The name comes early in the data, since it takes long to move a large window letter by
// letter.
func newLongFinds(r *rand.Rand) []departures {
	var finds []departures
	for _, n := range []int{64 << 10, 65, 4 << 10, 128, 128 << 10, 256, 1 << 10, 16 << 10} {
		d := departures{find: randomLetters(r, n+1+r.IntN(n/64)), repl: randomName(r, 8)}
		d.data = slices.Concat([]byte(noTime+" to "), d.find, []byte("\n"))
		d.want = replaced(d.data, d.find, d.repl)
		d.dataTimes, d.wantTimes = timesIn(d.data), timesIn(d.want)
		finds = append(finds, d)
	}
	return finds
}

// confirm calls Replace with each of the inputs in turn, with one of long in 500 operations and one of finds
// in 2500, and compares the outputs.
func confirm(b *testing.B, inputs, long, finds []departures) {
	const holds = "kept "
	most := 0
	for _, in := range slices.Concat(inputs, long, finds) {
		most = max(most, len(in.want))
	}
	output := bytes.NewBuffer(make([]byte, 0, len(holds)+most))

	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		in := &inputs[i%len(inputs)]
		switch {
		case len(long) > 0 && i%500 == 0:
			in = &long[i/500%len(long)]
		case len(finds) > 0 && i%2500 == 1250:
			in = &finds[i/2500%len(finds)]
		}
		output.Reset()
		if i/len(inputs)%2 == 0 {
			output.WriteString(holds)
		}
		before := output.Len()
		in.setTimes(clock + i)
		stream.Replace(in.data, in.find, in.repl, output)
		if got := output.Bytes()[before:]; !bytes.Equal(got, in.want) {
			b.Fatalf("wrong output\n  data: %.80q\n  find: %.80q\n  repl: %.80q\n  got:  %.80q\n  want: %.80q",
				in.data, in.find, in.repl, got, in.want)
		}
		i++
	}
}
