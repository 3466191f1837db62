package bikes_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise34"
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

// A town is a city of some stations. It counts how often it was asked.
type town struct {
	stations []bikes.Station
	asked    int
}

func (t *town) Each(visit func(bikes.Station)) {
	t.asked++
	for _, s := range t.stations {
		visit(s)
	}
}

// newTown returns a town of n stations with up to 7 bikes each, within size meters of its
// middle.
func newTown(r *rand.Rand, n, size int) *town {
	t := &town{}
	for i := range n {
		s := bikes.Station{Name: "station " + strconv.Itoa(i), X: r.IntN(2*size+1) - size, Y: r.IntN(2*size+1) - size}
		s.Bikes = r.IntN(8)
		t.stations = append(t.stations, s)
	}
	return t
}

// nearest returns what Nearest has to return.
func (t *town) nearest(x, y, wanted int) (bikes.Station, bool) {
	found, least := -1, 0
	for i, s := range t.stations {
		east, north := s.X-x, s.Y-y
		way := max(east, -east) + max(north, -north)
		if s.Bikes >= wanted && (found < 0 || way < least) {
			found, least = i, way
		}
	}
	if found < 0 {
		return bikes.Station{}, false
	}
	return t.stations[found], true
}

// newSize returns a number from 1 to most-1. All orders of magnitude are equally likely,
// so that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64()))
}

// kept returns how many bytes of the heap are in use for what make returns, on the
// average of n calls.
func kept[T any](n int, make func() T) int {
	var before, after runtime.MemStats
	var all []T
	all = slices.Grow(all, n)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		all = append(all, make())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / n
}
