package tide_test

import (
	"testing"

	"onthestack/exercises/exercise18"
)

// BenchmarkSmooth smooths 40 readings in a window of 21, too many for what the compiler sets aside by itself.
func BenchmarkSmooth(b *testing.B) {
	readings := randomReadings(newRand(b), 40)
	medians := make([]int32, 0, len(readings))

	for b.Loop() {
		medians = tide.Smooth(medians[:0], readings, 21)
	}
}
