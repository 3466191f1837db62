package journal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
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

// framed returns the packet of a record, by other means.
func framed(record []byte) []byte {
	packet := binary.BigEndian.AppendUint32(nil, uint32(len(record)))
	packet = append(packet, record...)
	for len(packet)%8 != 4 {
		packet = append(packet, 0)
	}
	sum := fnv.New32a()
	sum.Write(packet)
	return sum.Sum(packet)
}

// randomRecord returns n bytes, none of which is zero: what is left of it in a
// later packet shows.
func randomRecord(r *rand.Rand, n int) []byte {
	record := make([]byte, n)
	var bits uint64
	for i := range record {
		if i%8 == 0 {
			bits = r.Uint64()
		}
		record[i] = byte(bits) | 1
		bits >>= 8
	}
	return record
}

// anySize returns a length from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// A file keeps the packets that are written to it.
type file struct {
	packets [][]byte
}

func (f *file) Write(p []byte) (int, error) {
	f.packets = append(f.packets, bytes.Clone(p))
	return len(p), nil
}

// As many a file, it has these methods, too. Append has to call Write.
func (f *file) WriteString(string) (int, error)    { return 0, errNotWrite }
func (f *file) WriteByte(byte) error               { return errNotWrite }
func (f *file) WriteAt([]byte, int64) (int, error) { return 0, errNotWrite }
func (f *file) ReadFrom(io.Reader) (int64, error)  { return 0, errNotWrite }

var errNotWrite = errors.New("another method than Write was called")
