package index_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise8"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of its benchmark by itself, with inputs of other classes.

// BenchmarkTermsConfirm sorts lists of up to 60 terms, of each length.
func BenchmarkTermsConfirm(b *testing.B) { each(b, index.Terms, randomTerm) }

// BenchmarkPagesConfirm sorts lists of up to 60 pages, of each length.
func BenchmarkPagesConfirm(b *testing.B) { each(b, index.Pages, randomPage) }

func each[T cmp.Ordered](b *testing.B, sort func([]T) bool, element func(*rand.Rand) T) {
	r := newRand(b)
	var lists []sorting[T]
	for n := range 61 {
		lists = append(lists, newSorting(randomList(r, n, element)))
	}
	confirm(b, sort, lists, nil)
}

// BenchmarkTermsConfirmInOrder passes lists of any length that are in order.
func BenchmarkTermsConfirmInOrder(b *testing.B) { inOrder(b, index.Terms, randomTerm) }

// BenchmarkPagesConfirmInOrder passes lists of any length that are in order.
func BenchmarkPagesConfirmInOrder(b *testing.B) { inOrder(b, index.Pages, randomPage) }

func inOrder[T cmp.Ordered](b *testing.B, sort func([]T) bool, element func(*rand.Rand) T) {
	r := newRand(b)
	var lists []sorting[T]
	for range 64 {
		list := randomList(r, anySize(r, 1<<12)-1, element)
		slices.Sort(list)
		lists = append(lists, newSorting(list))
	}
	confirm(b, sort, lists, nil)
}

// BenchmarkTermsConfirmLong sorts a list of any length in one of 200 operations, up to more than 1 MiB.
func BenchmarkTermsConfirmLong(b *testing.B) { long(b, index.Terms, randomTerm, manyTerms) }

// BenchmarkPagesConfirmLong sorts a list of any length in one of 200 operations, up to more than 1 MiB.
func BenchmarkPagesConfirmLong(b *testing.B) { long(b, index.Pages, randomPage, manyPages) }

func long[T cmp.Ordered](b *testing.B, sort func([]T) bool, element func(*rand.Rand) T, most int) {
	r := newRand(b)
	lists := []sorting[T]{newSorting(randomList(r, most-r.IntN(1<<11), element))}
	for range 24 {
		lists = append(lists, newSorting(randomList(r, anySize(r, 1<<14), element)))
	}
	confirm(b, sort, []sorting[T]{newSorting(randomList(r, 24, element))}, lists)
}

// confirm sorts each of the lists in turn, and one of rare in 200 operations. All are put into the same
// memory, every other one with room past its end.
func confirm[T cmp.Ordered](b *testing.B, sort func([]T) bool, lists, rare []sorting[T]) {
	most := 0
	for _, s := range slices.Concat(lists, rare) {
		most = max(most, len(s.list))
	}
	room := make([]T, most+1)

	i := 0
	for b.Loop() {
		s := &lists[i%len(lists)]
		if len(rare) > 0 && i%200 == 0 {
			s = &rare[i/200%len(rare)]
		}
		list := room[:copy(room, s.list)]
		if i%2 == 0 {
			list = list[:len(list):len(list)]
		}
		if moved := sort(list); moved != s.moved || !slices.Equal(list, s.want) {
			b.Fatalf("wrong order, or a wrong report\n  list: %s\n  got:  %s, %t\n  want: %s, %t", show(s.list),
				show(list), moved, show(s.want), s.moved)
		}
		i++
	}
}
