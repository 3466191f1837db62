package tide_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"onthestack/exercises/exercise18"
)

// check calls Smooth and compares everything that its comment promises: with a dst
// that holds something already, and with the medians in the readings' place.
func check(t *testing.T, readings []int32, width int) {
	t.Helper()
	const call = "\n  width:    %d\n  readings: %s"
	want := smoothed(readings, width)

	returned := false
	defer func() {
		if !returned {
			t.Errorf("Smooth panics"+call, width, show(readings))
		}
	}()

	// After the readings and after the place for the medians lie numbers that
	// are none of Smooth's business.
	behind := make([]int32, 100)
	for i := range behind {
		behind[i] = math.MaxInt32 - 7*int32(i)
	}
	given := slices.Concat(readings, behind)
	holds := []int32{3, 1, 2}
	room := slices.Concat(holds, make([]int32, len(readings)), behind)

	got := tide.Smooth(room[:len(holds)], given[:len(readings)], width)
	if !slices.Equal(got, slices.Concat(holds, want)) {
		returned = true
		t.Fatalf("wrong medians, after the %d that dst held"+call+"\n  got:      %s\n  want:     %s",
			holds, width, show(readings), show(got), show(want))
	}
	if !slices.Equal(given, slices.Concat(readings, behind)) {
		returned = true
		t.Fatalf("Smooth changes the readings, or what comes after them"+call+"\n  got:      %s\n  want:     %s", width,
			show(readings), show(given), show(slices.Concat(readings, behind)))
	}
	if !slices.Equal(room[len(room)-len(behind):], behind) {
		returned = true
		t.Fatalf("Smooth changes what comes after the medians"+call+"\n  got:      %s\n  want:     %s", width,
			show(readings), show(room[len(room)-len(behind):]), show(behind))
	}

	// The caller uses its readings for something else.
	for i := range given {
		given[i] = -1
	}
	if !slices.Equal(got, slices.Concat(holds, want)) {
		returned = true
		t.Fatalf("the medians change with the readings"+call+"\n  got:      %s\n  want:     %s", width, show(readings),
			show(got), show(want))
	}

	inPlace := slices.Clone(readings)
	got = tide.Smooth(inPlace[:0], inPlace, width)
	returned = true
	if !slices.Equal(got, want) || len(got) > 0 && &got[0] != &inPlace[0] {
		t.Fatalf("wrong medians when dst is readings[:0]"+call+"\n  got:      %s\n  want:     %s", width,
			show(readings), show(got), show(want))
	}
}

func TestSmooth(t *testing.T) {
	spike := []int32{301, 302, 302, 911, 303, 304, 12, 304, 305, 305}
	for _, test := range []struct {
		name     string
		readings []int32
		width    int
	}{
		{"a gull and a wave", spike, 3},
		{"two readings", spike, 2},
		{"one reading", spike, 1},
		{"none", spike, 0},
		{"fewer than none", spike, -1},
		{"fewest", spike, math.MinInt},
		{"all", spike, 10},
		{"one more than all", spike, 11},
		{"more than all", spike, 32},
		{"many more than all", spike, 33},
		{"most", spike, math.MaxInt},
		{"no readings", nil, 5},
		{"no readings, a wide window", nil, 50},
		{"one of one", []int32{7}, 1},
		{"five of one", []int32{7}, 5},
		{"all equal", []int32{4, 4, 4, 4, 4, 4}, 3},
		{"falling", []int32{6, 5, 4, 3, 2, 1, 0, -1}, 4},
		{"rising", []int32{-1, 0, 1, 2, 3, 4, 5, 6}, 4},
		{"to and fro", []int32{1, 9, 1, 9, 1, 9, 1}, 4},
		{"the largest numbers", []int32{math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, 0}, 2},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.readings, test.width) })
	}
}

// A solution may treat widths differently, so each one gets its turn.
func TestEveryWidth(t *testing.T) {
	r := newRand(t)
	for width := range 130 {
		check(t, randomReadings(r, width+r.IntN(100)), width)
		check(t, randomReadings(r, r.IntN(width+1)), width)
	}
	for _, width := range []int{-2, -3, -4 - r.IntN(100), math.MinInt + 1, math.MinInt + 3} {
		check(t, randomReadings(r, 3+r.IntN(100)), width)
	}
}

// checkSome calls Smooth and compares its first and last medians, and some in
// between, so that long records and wide windows need no patience.
func checkSome(t *testing.T, r *rand.Rand, readings []int32, width int) {
	t.Helper()
	given := slices.Clone(readings)
	returned := false
	defer func() {
		if !returned {
			t.Errorf("Smooth panics\n  width:    %d\n  readings: %d, %s", width, len(readings), show(readings))
		}
	}()
	got := tide.Smooth(nil, given, width)
	changed := !slices.Equal(given, readings)
	inPlace := tide.Smooth(given[:0], given, width)
	returned = true

	if changed {
		t.Fatalf("Smooth changes the readings\n  width:    %d\n  readings: %d, %s", width, len(readings),
			show(readings))
	}
	if len(got) != len(readings) || !slices.Equal(got, inPlace) {
		t.Fatalf("wrong number of medians, or others when dst is readings[:0]\n  width:    %d\n  readings: %d, %s\n"+
			"  got:      %d and %d\n  want:     %d, the same both times",
			width, len(readings), show(readings), len(got), len(inPlace), len(readings))
	}
	for n := range 40 {
		i := r.IntN(len(readings))
		switch {
		case n < 10:
			i = len(readings) - 1 - n%len(readings)
		case n < 20:
			i = n % len(readings)
		}
		if !isMedian(readings, width, i, got[i]) {
			t.Fatalf("wrong median %d of %d\n  width:    %d\n  readings: %s\n  got:      %d\n  want:     %d",
				i, len(readings), width, show(readings), got[i], median(readings, width, i))
		}
	}
}

// Windows may be as wide as they like, and records as long. The widest have a tide
// that only rises, since sorting in each reading takes long.
func TestBeyond(t *testing.T) {
	r := newRand(t)
	for _, n := range beyond(r, 2<<10) {
		checkSome(t, r, randomReadings(r, n+r.IntN(200)), n)
	}
	for _, n := range append(beyond(r, 8<<10), 64<<10+r.IntN(8<<10)) {
		rising := make([]int32, n)
		level := r.Int32N(1000)
		for i := range rising {
			level += 1 + r.Int32N(9)
			rising[i] = level
		}
		checkSome(t, r, rising, n-r.IntN(min(n, 20)))
		checkSome(t, r, randomReadings(r, n/2+1), 1+r.IntN(32))
	}
}

func TestRandomInputs(t *testing.T) {
	r := newRand(t)
	for range 300 {
		readings := randomReadings(r, r.IntN(60))
		switch r.IntN(4) {
		case 0, 1: // few different ones, in any order
			for i := range readings {
				readings[i] = int32(r.IntN(3))
			}
		case 2: // any at all
			for i := range readings {
				readings[i] = int32(r.Uint32()) >> r.IntN(32)
			}
		}
		check(t, readings, r.IntN(40))
	}
}

// The elements already in dst stay in front of the medians, however many there are.
func TestDstHolds(t *testing.T) {
	r := newRand(t)
	for _, n := range beyond(r, 32<<10) {
		holds, readings, width := randomReadings(r, n), randomReadings(r, 60), r.IntN(40)
		want := slices.Concat(holds, smoothed(readings, width))
		if got := tide.Smooth(holds, readings, width); !slices.Equal(got, want) {
			t.Fatalf("wrong medians when dst holds %d numbers\n  width:    %d\n  readings: %s\n"+
				"  got:      %d numbers, the last %s\n  want:     %d numbers, the last %s",
				n, width, show(readings), len(got), show(got[max(0, len(got)-60):]), len(want), show(want[n:]))
		}
	}
}

// When dst has no room left, Smooth finds more, as append does.
func TestNoRoom(t *testing.T) {
	r := newRand(t)
	for _, width := range []int{1, 5, 32, 33} {
		readings := randomReadings(r, 100)
		got := tide.Smooth(nil, readings, width)
		if want := smoothed(readings, width); !slices.Equal(got, want) {
			t.Fatalf("wrong medians when dst is nil\n  width: %d\n  got:   %s\n  want:  %s", width, show(got),
				show(want))
		}
	}
}

// Calls at the same time share readings with one of the others.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var calls sync.WaitGroup
	start := make(chan struct{})
	rounds := 50
	if runtime.NumCPU() == 1 {
		rounds = 5 // goroutines that take turns do not meet more often in more rounds
	}
	for range 4 {
		readings, width := randomReadings(r, 200), 9+r.IntN(24)
		want := smoothed(readings, width)
		for range 8 {
			calls.Go(func() {
				var dst []int32
				<-start
				for range rounds {
					dst = tide.Smooth(dst[:0], readings, width)
					if !slices.Equal(dst, want) {
						t.Errorf("wrong medians when goroutines call Smooth at once\n  width: %d\n  got:   %s\n"+
							"  want:  %s", width, show(dst), show(want))
						return
					}
				}
			})
		}
	}
	close(start)
	calls.Wait()
}
