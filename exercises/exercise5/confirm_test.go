package mail_test

import (
	"math/rand/v2"
	"slices"
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
	const most = 40
	names := make([]string, most)
	for i := range names {
		names[i] = newAddress(r, i, newSize(r, 60))
	}
	names[0] += strings.Repeat("x", newSize(r, 1<<14))
	lists := make([][]string, 101)
	for i := range lists {
		lists[i] = make([]string, most+newSize(r, 2000))
		for j := range lists[i] {
			lists[i][j] = names[1+r.IntN(len(names)-1)]
		}
		lists[i][r.IntN(len(lists[i]))] = names[0] // a long one
	}
	unique(b, lists, most)
}

// unique has a list in each operation. The first list of the mailer has as many different
// addresses as most says.
func unique(b *testing.B, lists [][]string, most int) {
	var m mail.Mailer
	first := make([]string, most)
	for i := range first {
		first[i] = "first " + strconv.Itoa(rand.Int())
	}
	m.Unique(first)
	longest := 0
	wants := make([][]string, len(lists))
	for i, l := range lists {
		longest = max(longest, len(l))
		wants[i] = different(l)
	}
	list := make([]string, longest)
	for i := 0; b.Loop(); i++ {
		at := i % len(lists)
		if got := m.Unique(list[:copy(list, lists[at])]); !slices.Equal(got, wants[at]) {
			b.Fatalf("wrong addresses in the benchmark\n  list: %s\n  got:  %s\n  want: %s", show(lists[at]), show(got),
				show(wants[at]))
		}
	}
}

// different returns the different addresses of a list, in order.
func different(list []string) (all []string) {
	seen := map[string]bool{}
	for _, address := range list {
		if !seen[address] {
			seen[address] = true
			all = append(all, address)
		}
	}
	return all
}
