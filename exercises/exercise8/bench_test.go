package index_test

import (
	"slices"
	"testing"

	"onthestack/exercises/exercise8"
)

func BenchmarkTerms(b *testing.B) {
	terms := []string{"stack", "heap", "frame", "escape", "box"}
	list := slices.Clone(terms)

	for b.Loop() {
		copy(list, terms)
		index.Terms(list)
	}
}

func BenchmarkPages(b *testing.B) {
	pages := []int{212, 41, 98, 7, 41}
	list := slices.Clone(pages)

	for b.Loop() {
		copy(list, pages)
		index.Pages(list)
	}
}
