package tide_test

import (
	"fmt"
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

// smoothed returns what Smooth must append, by other means.
func smoothed(readings []int32, width int) []int32 {
	var medians []int32
	for i := range readings {
		first := 0
		if i >= max(width, 1) {
			first = i + 1 - max(width, 1)
		}
		window := slices.Sorted(slices.Values(readings[first : i+1]))
		medians = append(medians, window[(len(window)-1)/2])
	}
	return medians
}

// isMedian reports whether median is what Smooth must append for reading i, by other
// means than smoothed: it counts the readings of the window below and above it.
func isMedian(readings []int32, width, i int, median int32) bool {
	window := readings[:i+1]
	if width = max(width, 1); width < len(window) {
		window = window[len(window)-width:]
	}
	below, above := 0, 0
	for _, reading := range window {
		switch {
		case reading < median:
			below++
		case reading > median:
			above++
		}
	}
	lower, upper := (len(window)-1)/2, len(window)/2
	return below <= lower && above <= upper && below+above < len(window)
}

// median returns what Smooth must append for reading i.
func median(readings []int32, width, i int) int32 {
	window := slices.Sorted(slices.Values(readings[max(0, i+1-max(width, 1)) : i+1]))
	return window[(len(window)-1)/2]
}

// beyond returns widths that no constant covers: for each power of two up to most
// one more than it, and one drawn up to its double.
func beyond(r *rand.Rand, most int) []int {
	var widths []int
	for n := 1; n <= most; n *= 2 {
		widths = append(widths, n+1, n+r.IntN(n))
	}
	return widths
}

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// show is what a failure says of numbers: of many the first.
func show(numbers []int32) string {
	if len(numbers) > 40 {
		return fmt.Sprint(numbers[:40]) + " …"
	}
	return fmt.Sprint(numbers)
}

// randomReadings returns a tide of n readings with spikes. Some are equal.
func randomReadings(r *rand.Rand, n int) []int32 {
	readings := make([]int32, n)
	level, step := int32(r.IntN(400)-200), int32(r.IntN(7)-3)
	for i := range readings {
		level += step
		readings[i] = level + int32(r.IntN(5))
		if r.IntN(4) == 0 {
			readings[i] += int32(r.IntN(4000) - 2000)
		}
	}
	return slices.Clip(readings)
}

// A record is one input of the benchmark and what must come of it.
type record struct {
	readings, want []int32
	width          int
	level          int32 // added to all of both
}

// newRecord returns a record of n readings.
func newRecord(r *rand.Rand, n, width int) record {
	readings := randomReadings(r, n)
	return record{readings: readings, want: smoothed(readings, width), width: width}
}

// newLongRecord returns a record of n readings that are the same again every 64, so that
// its medians, in windows of up to 64, are found quickly: they are the same again, too,
// once the window is full.
func newLongRecord(r *rand.Rand, n, width int) record {
	first := newRecord(r, 64, width)
	twice := smoothed(slices.Concat(first.readings, first.readings), width)
	times := (n + 63) / 64
	want := slices.Concat(twice[:64], slices.Repeat(twice[64:], times-1))
	return record{readings: slices.Repeat(first.readings, times)[:n:n], want: want[:n], width: width}
}

// rise sets the sea level. The medians rise with the readings. It allocates
// nothing.
func (r *record) rise(level int32) {
	by := level - r.level
	r.level = level
	for i := range r.readings {
		r.readings[i] += by
		r.want[i] += by
	}
}
