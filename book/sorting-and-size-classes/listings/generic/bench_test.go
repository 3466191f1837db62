package generic_test

import (
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/generic"
)

func counts() []generic.Bird {
	return []generic.Bird{{"wren", 2}, {"heron", 1}, {"dipper", 4}, {"tern", 31}, {"gull", 12}}
}

func BenchmarkRank(b *testing.B) {
	birds := counts()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		generic.Rank(birds)
	}
}
