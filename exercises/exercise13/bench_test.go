package tide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise13"
)

// BenchmarkSmooth smooths 40 readings in windows of 9 to 32, too many for what the
// compiler sets aside by itself. No two operations have the same readings, and each
// result is compared with what must come.
func BenchmarkSmooth(b *testing.B) {
	r := newRand(b)
	records := make([]record, 24)
	for i := range records {
		readings, width := randomReadings(r, 40), 9+i
		records[i] = record{readings: readings, want: smoothed(readings, width), width: width}
	}
	dst := make([]int32, 0, 40)

	level := rand.Int32N(1e8) // not from r: no call of this function repeats another's readings
	b.ResetTimer()
	for i := range b.N {
		record := &records[i%len(records)]
		record.rise(level + int32(i))
		got := tide.Smooth(dst, record.readings, record.width)
		if !slices.Equal(got, record.want) {
			b.Fatalf("wrong medians\n  width:    %d\n  readings: %s\n  got:      %s\n  want:     %s",
				record.width, show(record.readings), show(got), show(record.want))
		}
	}
}
