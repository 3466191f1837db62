package tide_test

import (
	"testing"

	"onthestack/exercises/exercise18"
)

// BenchmarkSmooth smooths 40 readings in a window of 21, which takes 84 bytes. A slice of unknown size stays on the
// stack only up to 32 bytes.
func BenchmarkSmooth(b *testing.B) {
	readings := randomReadings(newRand(b), 40)
	medians := make([]int32, 0, len(readings))

	for b.Loop() {
		medians = tide.Smooth(medians[:0], readings, 21)
	}
}
