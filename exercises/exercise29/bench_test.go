package setting_test

import (
	"testing"

	"onthestack/exercises/exercise29"
)

// BenchmarkDiff compares settings that differ in every value.
func BenchmarkDiff(b *testing.B) {
	from := setting.Settings{Language: "pt", Alarm: 390, Volume: 7, Light: 80, Heating: 19, Towels: 2, Quiet: true}
	to := setting.Settings{Language: "en", Alarm: 420, Volume: 3, Light: 5, Heating: 21, Towels: 1}
	for b.Loop() {
		setting.Diff(from, to)
	}
}
