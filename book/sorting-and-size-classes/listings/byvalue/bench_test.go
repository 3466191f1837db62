package byvalue_test

import (
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/byvalue"
)

func counts() []byvalue.Bird {
	return []byvalue.Bird{{"wren", 2}, {"heron", 1}, {"dipper", 4}, {"tern", 31}, {"gull", 12}}
}

func BenchmarkRank(b *testing.B) {
	birds := counts()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		byvalue.Rank(birds)
	}
}
