package window_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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

// replaced returns what Replace must append, by other means.
func replaced(data, find, repl []byte) []byte {
	if len(find) == 0 {
		return bytes.Clone(data)
	}
	return bytes.ReplaceAll(data, find, repl)
}

// syllables make names that nearly repeat themselves, as long names do.
var syllables = []string{
	"llan", "fair", "pwll", "gwyn", "gyll", "go", "ger", "ych",
	"wyrn", "drob", "wll", "llan", "tysi", "lio", "go", "go", "goch",
}

// randomName returns a name of n letters.
func randomName(r *rand.Rand, n int) []byte {
	var name []byte
	for len(name) < n {
		name = append(name, syllables[r.IntN(len(syllables))]...)
	}
	return name[:n]
}

// randomWord returns up to n letters of an alphabet of the given size, which
// makes near misses and overlaps frequent when it is small.
func randomWord(r *rand.Rand, n, alphabet int) []byte {
	word := make([]byte, r.IntN(n+1))
	for i := range word {
		word[i] = byte('a' + r.IntN(alphabet))
	}
	return word
}

// randomLetters returns n letters and backquotes, so random that no end of them is a beginning.
func randomLetters(r *rand.Rand, n int) []byte {
	letters := make([]byte, 0, n+8)
	for len(letters) < n {
		letters = binary.LittleEndian.AppendUint64(letters, r.Uint64()&0x0f0f0f0f0f0f0f0f|0x6060606060606060)
	}
	return letters[:n]
}

// anySize returns a length from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// lengths returns lengths of any order of magnitude, and one beyond 1 MiB.
func lengths(r *rand.Rand) []int {
	var all []int
	for range 12 {
		all = append(all, 64+anySize(r, 4<<10))
	}
	for range 6 {
		all = append(all, 4<<10+anySize(r, 256<<10))
	}
	slices.Sort(all)
	return append(all, 1<<20+1+r.IntN(3<<20))
}

// randomFeed strings together finds, beginnings and ends of finds, finds with
// one wrong letter, and words.
func randomFeed(r *rand.Rand, find []byte, alphabet int) []byte {
	var feed []byte
	for range r.IntN(6) {
		switch r.IntN(5) {
		case 0:
			feed = append(feed, find...)
		case 1:
			feed = append(feed, find[:r.IntN(len(find)+1)]...)
		case 2:
			feed = append(feed, find[r.IntN(len(find)+1):]...)
		case 3:
			feed = append(feed, find...)
			if len(find) > 0 {
				feed[len(feed)-1-r.IntN(len(find))] = byte('a' + r.IntN(alphabet))
			}
		case 4:
			feed = append(feed, randomWord(r, 8, alphabet)...)
		}
	}
	return feed
}

// departures is one input of the benchmark and what must come of it.
type departures struct {
	data, find, repl, want []byte
	dataTimes, wantTimes   []int // where the times begin
}

// noTime keeps the place of a time. A name has no digits.
const noTime = "00000000"

// newDepartures returns three departures in any order: to the place whose name, n
// letters long, is to be replaced, to one whose name begins alike, and to another.
func newDepartures(r *rand.Rand, n int) departures {
	d := departures{find: randomName(r, n), repl: randomName(r, 8+r.IntN(8))}
	places := [][]byte{d.find, d.find[:n/2], randomName(r, 16)}
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, place := range places {
		d.data = append(d.data, noTime+" to "...)
		d.data = append(d.data, place...)
		d.data = append(d.data, '\n')
	}
	d.want = replaced(d.data, d.find, d.repl)
	// No room after the data that could serve as a window.
	d.data, d.find, d.repl = slices.Clip(d.data), slices.Clip(d.find), slices.Clip(d.repl)
	d.dataTimes, d.wantTimes = timesIn(d.data), timesIn(d.want)
	return d
}

// lengthen gives the departures a repl of n letters, and as many letters after the last line.
func (d *departures) lengthen(r *rand.Rand, n int) {
	d.repl = slices.Clip(randomName(r, n))
	d.data = slices.Clip(append(d.data, randomName(r, n)...))
	d.want = replaced(d.data, d.find, d.repl)
	d.dataTimes, d.wantTimes = timesIn(d.data), timesIn(d.want)
}

// newOthers returns inputs of other kinds, with finds of least to most letters: without
// data or repl, with finds that overlap, and with none in the data. Their times are not
// to be set.
func newOthers(r *rand.Rand, least, most int) []departures {
	others := make([]departures, 90)
	for i := range others {
		d, alphabet := &others[i], 1+r.IntN(3)
		d.find = randomName(r, least+r.IntN(most-least+1))
		if i%3 == 0 {
			for j := range d.find {
				d.find[j] = byte('a' + r.IntN(alphabet))
			}
		}
		if i%5 > 0 {
			d.repl = randomWord(r, most, alphabet)
		}
		d.data = randomFeed(r, d.find, alphabet)
		if i%7 == 0 {
			d.data = randomLetters(r, 3*most)
		}
		d.want = replaced(d.data, d.find, d.repl)
		d.data, d.find, d.repl = slices.Clip(d.data), slices.Clip(d.find), slices.Clip(d.repl)
	}
	return others
}

// newLong returns departures to places of least to most letters, with a repl and with data
// of lengths between all powers of two from 128 bytes to 256 KiB.
func newLong(r *rand.Rand, least, most int) []departures {
	var long []departures
	for size := 128; size <= 128<<10; size *= 2 {
		d := newDepartures(r, least+r.IntN(most-least+1))
		d.lengthen(r, size+1+r.IntN(size))
		long = append(long, d)
	}
	return long
}

// timesIn returns where the times begin in text.
func timesIn(text []byte) []int {
	var at []int
	for i := range text {
		if bytes.HasPrefix(text[i:], []byte(noTime)) {
			at = append(at, i)
		}
	}
	return at
}

// setTimes gives the departures other times, the same in data and in want. It
// allocates nothing.
func (d *departures) setTimes(clock int) {
	for i, at := range d.dataTimes {
		inData := d.data[at : at+len(noTime)]
		inWant := d.want[d.wantTimes[i]:]
		rest := clock + i
		for j := range inData {
			inData[j] = byte('0' + rest%10)
			inWant[j] = inData[j]
			rest /= 10
		}
	}
}
