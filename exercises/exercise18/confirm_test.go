package tide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise18"
)

// BenchmarkSmoothConfirmAny smooths records of any number of readings, now and then of more than 32 768. Of each
// number some are smoothed in narrow windows, some in medium and some in wide ones of up to 32. Some medians
// take the readings' place, and some follow others in dst. No two operations have the same readings, and each
// result is compared with what must come.
func BenchmarkSmoothConfirmAny(b *testing.B) {
	r := newRand(b)
	records := make([]record, 200)
	for i := range records {
		records[i] = newRecord(r, anySize(r, 200), r.IntN(34)-1)
	}
	most := 200
	var long []record
	for _, n := range []int{200, 1000, 5000, 20_000, 33_000 + r.IntN(20_000)} {
		for _, width := range []int{1 + r.IntN(8), 9 + r.IntN(8), 17 + r.IntN(16)} {
			n := n + r.IntN(n)
			long = append(long, newLongRecord(r, n, width))
			most = max(most, n)
		}
	}
	dst, room := make([]int32, 3, most+4), make([]int32, most+1)

	level := rand.Int32N(1e8) // not from r: no call of this function repeats another's readings
	for i := 0; b.Loop(); i++ {
		record := &records[i%len(records)]
		if i%500 == 250 {
			record = &long[i/500%len(long)]
		}
		into := dst[:i/len(records)%2*3]
		record.rise(level + int32(i))
		readings := record.readings
		if i/len(records)%3 == 0 {
			readings = room[:copy(room, readings)]
			into = readings[:0]
		}
		got := tide.Smooth(into, readings, record.width)[len(into):]
		if !slices.Equal(got, record.want) {
			b.Fatalf("wrong medians\n  width:    %d\n  readings: %s\n  got:      %s\n  want:     %s",
				record.width, show(record.readings), show(got), show(record.want))
		}
	}
}
