package mail_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise5"
)

// BenchmarkUniqueConfirmLengths has lists of all lengths. The mailer has had a list with as
// many different addresses as the largest of them.
func BenchmarkUniqueConfirmLengths(b *testing.B) {
	r := newRand(b)
	lists := make([][]string, 101)
	for i := range lists {
		n := newSize(r, 1500) - 1
		lists[i] = newList(r, n, r.IntN(n+1), newSize(r, 60)).addresses
	}
	unique(b, lists, 1500)
}

// BenchmarkUniqueConfirmRepeated has lists that are longer than the mailer's largest one,
// with no more different addresses, one of which is long.
func BenchmarkUniqueConfirmRepeated(b *testing.B) {
	r := newRand(b)
	const different = 40
	names := make([]string, different)
	for i := range names {
		names[i] = newAddress(r, i, newSize(r, 60))
	}
	names[0] += strings.Repeat("x", newSize(r, 1<<14))
	lists := make([][]string, 101)
	for i := range lists {
		lists[i] = make([]string, different+newSize(r, 2000))
		for j := range lists[i] {
			lists[i][j] = names[1+r.IntN(len(names)-1)]
		}
		lists[i][r.IntN(len(lists[i]))] = names[0] // a long one
	}
	unique(b, lists, different)
}

// unique has a list in each operation. The first list of the mailer has some different
// addresses.
func unique(b *testing.B, lists [][]string, different int) {
	var m mail.Mailer
	first := make([]string, different)
	for i := range first {
		first[i] = "first " + strconv.Itoa(rand.Int())
	}
	m.Unique(first)
	longest := 0
	for _, l := range lists {
		longest = max(longest, len(l))
	}
	list := make([]string, longest)
	i := 0
	for b.Loop() {
		l := lists[i%len(lists)]
		m.Unique(list[:copy(list, l)])
		i++
	}
}
