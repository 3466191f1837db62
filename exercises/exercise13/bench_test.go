package tide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise13"
)

// usual is how many operations have usual records: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkSmooth smooths 40 readings in windows of 9 to 32, too many for what the
// compiler sets aside by itself. No two operations have the same readings, and each
// result is compared with what must come.
//
// After the usual operations the records have any number of readings, now and then
// more than 32 768, and windows of up to 32. Some medians take the readings' place, and
// some follow others in dst.
func BenchmarkSmooth(b *testing.B) {
	r := newRand(b)
	records := make([]record, 24)
	for i := range records {
		records[i] = newRecord(r, 40, 9+i)
	}
	var others, long []record
	most := 40
	if b.N > usual {
		for i := range 100 {
			others = append(others, newRecord(r, i, r.IntN(34)-1))
		}
		for most = 128; most <= 32<<10; most *= 2 {
			long = append(long, newLongRecord(r, most+1, 1+r.IntN(32)))
		}
	}
	dst, room := make([]int32, 3, most+4), make([]int32, most+1)

	level := rand.Int32N(1e8) // not from r: no call of this function repeats another's readings
	b.ResetTimer()
	for i := range b.N {
		record, into := &records[i%len(records)], dst[:0]
		if i > usual {
			record = &others[i%len(others)]
			if i%500 == 0 {
				record = &long[i/500%len(long)]
			}
			into = dst[:i/len(others)%2*3]
		}
		record.rise(level + int32(i))
		readings := record.readings
		if i > usual && i/len(others)%3 == 0 {
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
