package reply_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
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

// newBody returns a body of n bytes, of which some repeat.
func newBody(r *rand.Rand, n int) []byte {
	body := make([]byte, 0, n+64)
	for len(body) < n {
		if len(body) > 0 && r.IntN(3) > 0 {
			from := r.IntN(len(body))
			body = append(body, body[from:min(len(body), from+64)]...)
		} else {
			body = append(body, byte(r.IntN(256)))
		}
	}
	return body[:n]
}

// A connection is what a response is written to.
type connection struct {
	bytes.Buffer
	after   int    // Writes that succeed before err
	err     error  // of later Writes; nil for none
	between func() // is called in each Write; nil for nothing
}

func (c *connection) Write(p []byte) (int, error) {
	if c.between != nil {
		c.between()
	}
	if c.after--; c.err != nil && c.after < 0 {
		return 0, c.err
	}
	return c.Buffer.Write(p)
}

// wrong says what is wrong with the response, "" if nothing is.
func (c *connection) wrong(body []byte) string { return wrong(c.Bytes(), body) }

// wrong says what is wrong with a response, "" if nothing is.
func wrong(response, body []byte) string {
	in := bytes.NewReader(response)
	got, err := decompressed(in)
	switch {
	case err != nil:
		return fmt.Sprintf("the response is no gzip\n  body: %.40q, %d bytes\n  got:  %.40q, %d bytes\n  error: %v", body,
			len(body), response, len(response), err)
	case !bytes.Equal(got, body):
		return fmt.Sprintf("wrong body, decompressed\n  got:  %.40q, %d bytes\n  want: %.40q, %d bytes", got, len(got),
			body, len(body))
	case in.Len() > 0:
		return fmt.Sprintf("something follows the stream of gzip\n  body: %.40q, %d bytes\n  got:  %d bytes more\n"+
			"  want: none", body, len(body), in.Len())
	}
	return ""
}

// decompressed returns the text of one stream of gzip.
func decompressed(in *bytes.Reader) ([]byte, error) {
	zr, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	zr.Multistream(false)
	return io.ReadAll(zr)
}

// A receiver gets responses of bodies of up to 8 KiB and keeps the last one, for a benchmark: it allocates nothing.
type receiver struct {
	stream [12 << 10]byte
	n      int
}

func (r *receiver) Write(p []byte) (int, error) {
	r.n += copy(r.stream[r.n:], p)
	return len(p), nil
}

// end returns the last bytes of the response.
func (r *receiver) end() []byte { return r.stream[max(0, r.n-8):r.n] }

// isOf reports whether the response can be of a body: its end has the checksum and the length.
func (r *receiver) isOf(body []byte) bool {
	return r.n > 18 && binary.LittleEndian.Uint32(r.end()) == crc32.ChecksumIEEE(body) &&
		binary.LittleEndian.Uint32(r.end()[4:]) == uint32(len(body))
}

// wrong says what is wrong with the response, "" if nothing is.
func (r *receiver) wrong(body []byte) string { return wrong(r.stream[:r.n], body) }
