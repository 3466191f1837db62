package shutter_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
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

// lineOf returns the line that AppendLine must append.
func lineOf(digits int, opened, closed time.Time, target string) string {
	return timeOf(digits, opened) + "/" + timeOf(digits, closed) + " " + target + "\n"
}

func timeOf(digits int, t time.Time) string {
	layout := "2006-01-02T15:04:05." + strings.Repeat("0", digits)
	return t.Format(strings.TrimSuffix(layout, ".") + "Z07:00")
}

// zones are offsets of clocks, in seconds. One of them is not of whole minutes, which
// RFC 3339 leaves out.
var zones = []int{0, 3600, -3600, 19800, -1800, 20700, 45296, 14 * 3600}

// randomTime returns a time of our days or, one time in two, any other.
func randomTime(r *rand.Rand) time.Time {
	t := time.Unix(r.Int64N(1e10)-5e9, r.Int64N(1e9))
	switch r.IntN(8) {
	case 0:
		t = t.Truncate(time.Second)
	case 1:
		t = t.AddDate(9000+r.IntN(3000), 0, 0)
	case 2:
		t = t.AddDate(-1900-r.IntN(3000), 0, 0)
	case 3:
		t = time.Time{}
	}
	return t.In(time.FixedZone("", zones[r.IntN(len(zones))]))
}

// randomTarget returns a text of up to n bytes.
func randomTarget(r *rand.Rand, n int) string {
	const some = "MNGCIC 0123456789 +-\"/\né\x00\xff"
	text := make([]byte, r.IntN(n+1))
	for i := range text {
		text[i] = some[r.IntN(len(some))]
	}
	return string(text)
}
