package shutter_test

import (
	"math"
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

func timeOf(digits int, t time.Time) string { return t.Format(layouts[digits]) }

// layouts are those of times with 0 to 9 digits after the second.
var layouts = func() (layouts [10]string) {
	for digits := range layouts {
		layout := "2006-01-02T15:04:05." + strings.Repeat("0", digits)
		layouts[digits] = strings.TrimSuffix(layout, ".") + "Z07:00"
	}
	return layouts
}()

// zones are clocks: of fixed offsets, not all of them of whole minutes, and of places
// where summers have another one.
var zones = []*time.Location{
	time.UTC, time.FixedZone("", 3600), time.FixedZone("", -3600), time.FixedZone("", 19800),
	time.FixedZone("", 45296), time.FixedZone("", -1800), time.FixedZone("", -20), time.FixedZone("", -12345),
	time.FixedZone("", 14*3600), summerTime("<A>-1<B>,M3.5.0,M10.5.0/3"), summerTime("<A>3:30:15<B>,M3.2.0,M11.1.0"),
}

// summerTime returns a location in which clocks go by a rule in all years. The rule is of the kind
// that POSIX has for the variable TZ. The data are as RFC 9636 wants them: a block with a
// single offset, of 0 seconds, for old readers, the same again, and the rule.
func summerTime(rule string) *time.Location {
	block := "TZif2" + strings.Repeat("\x00", 15+4*4) + "\x00\x00\x00\x01" + "\x00\x00\x00\x01" +
		strings.Repeat("\x00", 6+1)
	l, err := time.LoadLocationFromTZData("", []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		panic(err)
	}
	return l
}

// randomTime returns a time of our days or, one time in two, any other.
func randomTime(r *rand.Rand) time.Time {
	t := time.Unix(r.Int64N(1e10)-5e9, r.Int64N(1e9))
	switch r.IntN(8) {
	case 0:
		t = t.Truncate(time.Second)
	case 1:
		t = t.AddDate(7500+anySize(r, 1e8), 0, 0)
	case 2:
		t = t.AddDate(-1900-anySize(r, 1e8), 0, 0)
	case 3:
		t = time.Time{}
	}
	return t.In(zones[r.IntN(len(zones))])
}

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
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
