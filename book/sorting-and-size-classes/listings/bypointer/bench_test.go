package bypointer_test

import (
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/bypointer"
)

func counts() []bypointer.Bird {
	return []bypointer.Bird{{"wren", 2}, {"heron", 1}, {"dipper", 4}, {"tern", 31}, {"gull", 12}}
}

func BenchmarkOwner(b *testing.B) {
	list := &bypointer.List{Birds: counts()}
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		list.Rank()
	}
}

func BenchmarkLocal(b *testing.B) {
	birds := counts()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		bypointer.Rank(birds)
	}
}
