package index_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"onthestack/exercises/exercise8"
)

// check sorts a list and compares everything that the comments promise. behind lies past its end.
func check[T cmp.Ordered](t *testing.T, sort func([]T) bool, list []T, behind T) {
	t.Helper()
	s := newSorting(list)
	whole := append(slices.Clone(list), behind, behind)
	got := whole[:len(list)]
	moved := sort(got)
	for i := range s.want {
		if got[i] != s.want[i] {
			t.Fatalf("wrong element in place %d of %d\n  list: %s\n  got:  %s\n  want: %s", i+1, len(list), show(list),
				show(got), show(s.want))
		}
	}
	if moved != s.moved {
		t.Fatalf("wrong report of a list of %d\n  list: %s\n  got:  %t\n  want: %t", len(list), show(list), moved, s.moved)
	}
	for _, element := range whole[len(list):] {
		if element != behind {
			t.Fatalf("something past the end of the list has changed\n  list: %s\n  got:  %#v\n  want: %#v", show(list),
				element, behind)
		}
	}
}

// show writes the first few elements.
func show[T any](list []T) string {
	if len(list) > 8 {
		return fmt.Sprintf("%#v …", list[:8])
	}
	return fmt.Sprintf("%#v", list)
}

func TestTerms(t *testing.T) {
	for _, test := range []struct {
		name  string
		terms []string
	}{
		{"no list", nil},
		{"no terms", []string{}},
		{"one term", []string{"heap"}},
		{"in order", []string{"heap", "stack"}},
		{"the other way round", []string{"stack", "heap"}},
		{"equal", []string{"heap", "heap", "heap"}},
		{"equal, and one before them", []string{"heap", "heap", "frame"}},
		{"a term that another begins with", []string{"heap profile", "heap"}},
		{"no text", []string{"heap", ""}},
		{"capitals come first", []string{"escape", "GC", "Go"}},
		{"letters beyond ASCII come last", []string{"Österreich", "Zürich", "Aalen"}},
		{"bytes that are not text", []string{"\xff", "\x80", "\x00"}},
		{"the quiz", []string{"stack", "heap", "frame", "escape", "box"}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, index.Terms, test.terms, "behind") })
	}
}

func TestPages(t *testing.T) {
	for _, test := range []struct {
		name  string
		pages []int
	}{
		{"no list", nil},
		{"no pages", []int{}},
		{"one page", []int{7}},
		{"in order", []int{7, 41}},
		{"the other way round", []int{41, 7}},
		{"equal", []int{7, 7, 7}},
		{"equal, and one before them", []int{7, 7, 1}},
		{"below zero", []int{1, 0, -1}},
		{"the extremes", []int{1, math.MaxInt, math.MinInt, -1}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, index.Pages, test.pages, 5) })
	}
}

// A sort may treat lengths differently, so each one gets its turn.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	for n := range 131 {
		check(t, index.Terms, randomList(r, n, randomTerm), "behind")
		check(t, index.Pages, randomList(r, n, randomPage), 5)
	}
}

// Lists that are in order except for two neighbors, or not even for these.
func TestNearlyInOrder(t *testing.T) {
	r := newRand(t)
	for range 100 {
		n := 2 + anySize(r, 3000)
		nearlyInOrder(t, r, index.Terms, n, randomTerm, "behind")
		nearlyInOrder(t, r, index.Pages, n, randomPage, 5)
	}
}

// There may be any number of elements: more than any array that a solution might set aside, and than any
// variable on the stack can hold.
func TestMany(t *testing.T) {
	r := newRand(t)
	for range 10 {
		n := 130 + anySize(r, 10_000)
		check(t, index.Terms, randomList(r, n, randomTerm), "behind")
		check(t, index.Pages, randomList(r, n, randomPage), 5)
	}
	nearlyInOrder(t, r, index.Terms, manyTerms-r.IntN(1<<11), randomTerm, "behind")
	nearlyInOrder(t, r, index.Pages, manyPages-r.IntN(1<<11), randomPage, 5)

	million(t, index.Terms, 1<<20+r.IntN(1<<16), "frame", "heap")
	million(t, index.Pages, 1<<20+r.IntN(1<<16), 7, 41)
}

// million checks a list of n elements and one, of which only the last is in the wrong place, so that sorting them is
// quick. It makes no copies, for which a page has too little memory.
func million[T cmp.Ordered](t *testing.T, sort func([]T) bool, n int, first, other T) {
	t.Helper()
	list := slices.Repeat([]T{other}, n+1)
	list[n] = first
	moved := sort(list)
	want := first
	for i, got := range list {
		if got != want {
			t.Fatalf("wrong element in place %d of %d\n  got:  %#v\n  want: %#v", i+1, len(list), got, want)
		}
		want = other
	}
	if !moved {
		t.Fatalf("wrong report of a list of %d\n  got:  false\n  want: true", len(list))
	}
}

// nearlyInOrder checks a list of n elements that is in order, and the same with the last two elements, and
// with two others, in the wrong order.
func nearlyInOrder[T cmp.Ordered](t *testing.T, r *rand.Rand, sort func([]T) bool, n int,
	element func(*rand.Rand) T, behind T) {
	t.Helper()
	list := randomList(r, n, element)
	slices.Sort(list)
	check(t, sort, list, behind)
	for _, i := range []int{n - 1, 1 + r.IntN(n-1)} {
		list[i-1], list[i] = list[i], list[i-1]
		check(t, sort, list, behind)
		list[i-1], list[i] = list[i], list[i-1]
	}
}

// Goroutines pass the same lists at once. They are in order, so they are only read.
func TestInOrderAtOnce(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{5, 1 + anySize(r, 60), 60 + anySize(r, 2000)} {
		terms, pages := randomList(r, n, randomTerm), randomList(r, n, randomPage)
		slices.Sort(terms)
		slices.Sort(pages)
		atOnce(func(int) {
			if index.Terms(terms) || index.Pages(pages) {
				t.Error("a list that is in order is reported to have been in another\n  got:  true\n  want: false")
			}
		})
	}
}

// Lists are sorted at once, each by a goroutine of its own. They lie one behind the other in one array.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	for range 5 {
		n := 20 + anySize(r, 500)
		terms := randomList(r, goroutines*n, randomTerm)
		array := slices.Clone(terms)
		atOnce(func(i int) {
			s := newSorting(terms[i*n:][:n])
			got := array[i*n:][:n]
			if moved := index.Terms(got); moved != s.moved || !slices.Equal(got, s.want) {
				t.Errorf("wrong order when goroutines sort lists at once\n  got:  %s, %t\n  want: %s, %t", show(got), moved,
					show(s.want), s.moved)
			}
		})
	}
}

const goroutines = 4

// atOnce calls f in several goroutines, with the numbers from 0.
func atOnce(f func(int)) {
	var calls sync.WaitGroup
	start := make(chan struct{})
	for i := range goroutines {
		calls.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	calls.Wait()
}
