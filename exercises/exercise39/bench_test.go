package census_test

import (
	"testing"

	"onthestack/exercises/exercise39"
)

// BenchmarkAsk has 60 households and four clerks.
func BenchmarkAsk(b *testing.B) {
	people := make([]int, 60)
	ask := func(household int) { people[household]++ }
	census.Ask(1000, 1000, func(int) {}) // the runtime uses goroutines that have ended again
	for b.Loop() {
		census.Ask(60, 4, ask)
	}
}
