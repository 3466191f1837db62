package mail_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise5"
)

// show writes the first few addresses.
func show(addresses []string) string {
	if len(addresses) > 6 {
		return fmt.Sprintf("%.20q … %d addresses", addresses[:6], len(addresses))
	}
	return fmt.Sprintf("%.40q", addresses)
}

// check compares everything that the comment of Unique promises.
func check(t *testing.T, m *mail.Mailer, l list) {
	t.Helper()
	// After the list are addresses that are none of Unique's business.
	whole := append(slices.Clone(l.addresses), "behind", "behind")
	got := m.Unique(whole[:len(l.addresses)])
	if !slices.Equal(got, l.want) {
		t.Fatalf("wrong addresses\n  list: %s\n  got:  %s\n  want: %s", show(l.addresses), show(got), show(l.want))
	}
	if len(got) > 0 && &got[0] != &whole[0] {
		t.Fatalf("the result is not in the array of the list\n  list: %s", show(l.addresses))
	}
	for i, address := range whole[len(got):len(l.addresses)] {
		if address != "" {
			t.Fatalf("an address is left over after the result, in place %d\n  list: %s\n  got:  %.40q\n  want: \"\"",
				len(got)+i, show(l.addresses), address)
		}
	}
	if behind := whole[len(l.addresses):]; behind[0] != "behind" || behind[1] != "behind" {
		t.Fatalf("Unique changes what comes after the list\n  list: %s\n  got:  %q\n  want: [\"behind\" \"behind\"]",
			show(l.addresses), behind)
	}
}

func TestUnique(t *testing.T) {
	var m mail.Mailer
	for _, test := range []struct{ addresses, want string }{
		{"", ""},
		{"a", "a"},
		{"a a", "a"},
		{"a b", "a b"},
		{"b a b", "b a"},
		{"a a a b b a", "a b"},
		{"c b a a b c", "c b a"},
		{"A a á", "A a á"},
		{"ann@x ann@y ann@x ann", "ann@x ann@y ann"},
		{"1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10"},
	} {
		check(t, &m, list{strings.Fields(test.addresses), strings.Fields(test.want)})
		check(t, new(mail.Mailer), list{strings.Fields(test.addresses), strings.Fields(test.want)})
	}
	check(t, &m, list{nil, nil})
	check(t, &m, list{[]string{"", "a", "", " ", "a", "\x00"}, []string{"", "a", " ", "\x00"}})
	check(t, &m, list{[]string{"", ""}, []string{""}})
}

// A mailer has many lists, and each is for itself.
func TestManyLists(t *testing.T) {
	r := newRand(t)
	var m mail.Mailer
	var results, copies [][]string
	for range 300 {
		n := r.IntN(60)
		l := newList(r, n, r.IntN(n+1), r.IntN(40))
		check(t, &m, l)
		result := m.Unique(slices.Clone(l.addresses))
		results, copies = append(results, result), append(copies, slices.Clone(result))
	}
	for i := range results {
		if !slices.Equal(results[i], copies[i]) {
			t.Fatalf("a later list changes an earlier result\n  list: %d of %d\n  got:  %s\n  want: %s", i+1,
				len(results), show(results[i]), show(copies[i]))
		}
	}
	same := newList(r, 20, 10, 10)
	for range 5 {
		check(t, &m, same)
	}
}

// Every length, with none repeated, with all the same, and with each in the list twice.
func TestEveryLength(t *testing.T) {
	var m mail.Mailer
	of := func(n, different int) list {
		var l list
		for i := range n {
			l.addresses = append(l.addresses, "address "+strconv.Itoa(i%different))
			if i < different {
				l.want = append(l.want, l.addresses[i])
			}
		}
		return l
	}
	for n := 1; n < 150; n++ {
		check(t, &m, of(n, n))
		check(t, &m, of(n, 1))
		check(t, &m, of(n, (n+1)/2))
	}
	for n := 256; n <= 1<<17; n *= 2 {
		check(t, &m, of(n+1, n+1))
		check(t, &m, of(3, 2))
	}
}

// Addresses of every length, of which two differ in one byte only: the first, the middle or
// the last.
func TestLongAddresses(t *testing.T) {
	r := newRand(t)
	var m mail.Mailer
	for n := 1; n <= 256<<10; n *= 2 {
		long := strings.Repeat("x", n+r.IntN(n))
		all := []string{long, long + "!", long + "?", "!" + long, "?" + long,
			long[:len(long)/2] + "!" + long[len(long)/2:] + "x"}
		check(t, &m, list{slices.Concat(all, all, all[:2]), all})
	}
	huge := strings.Repeat("y", 1<<20+r.IntN(1<<10))
	check(t, &m, list{[]string{huge + "!", huge + "?", huge + "!"}, []string{huge + "!", huge + "?"}})
}

// Addresses that are different and look alike: they have the same letters, or the same
// hash. A polynomial over bytes, whatever its base, cannot tell the last two apart.
func TestAlike(t *testing.T) {
	words := [2]string{"a", "b"}
	for range 12 {
		words[0], words[1] = words[0]+words[1], words[1]+words[0]
	}
	var m mail.Mailer
	for _, pair := range [][2]string{
		{"ann@example.org", "nan@example.org"}, {"AaAaBB", "BBAaAa"}, {"Aa", "BB"}, {"costarring", "liquid"},
		{"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"}, {"plumless", "buckeroo"}, {"hetairas", "mentioner"},
		{"\x00a", "a"}, {"a\x00", "a"}, {"a", "A"}, words,
	} {
		check(t, &m, list{[]string{pair[0], pair[1], pair[0], pair[1]}, pair[:]})
	}
}

// Once Unique has returned, the addresses belong to the caller alone: no memory of them is
// kept by the mailer. An address may be a small part of a large text.
func TestKeepsNoAddress(t *testing.T) {
	for _, n := range []int{1, 3, 10, 100} {
		for _, length := range []int{1 << 20 / n, 12} {
			got := kept(4, func() *mail.Mailer {
				m := new(mail.Mailer)
				addresses := make([]string, 2*n)
				for i := range addresses {
					text := strings.Repeat(strconv.Itoa(1000+i%n), 1<<18/n)
					addresses[i] = text[:min(len(text), length)]
				}
				m.Unique(addresses)
				return m
			})
			if want := 8<<10 + 128*n; got > want {
				t.Errorf("a mailer keeps more memory than its set takes\n"+
					"  list: %d different addresses of %d bytes, in texts of %d bytes\n"+
					"  got:  %d bytes\n  want: at most %d bytes", n, length, 1<<20/n, got, want)
			}
		}
	}
}

// The memory of a mailer depends on the different addresses of its largest list, not on the
// number of lists, nor on how often they have the same address.
func TestMemory(t *testing.T) {
	for _, test := range []struct{ different, length, lists int }{
		{1, 1, 1}, {1, 1, 20_000}, {20, 20, 1}, {20, 30, 500}, {1000, 1000, 1}, {1000, 1001, 50},
		{1, 200_000, 2}, {300, 100_000, 2},
	} {
		got := kept(1+100/test.length, func() *mail.Mailer {
			m := new(mail.Mailer)
			addresses := make([]string, test.length)
			for n := range test.lists {
				for i := range addresses {
					addresses[i] = strconv.Itoa(n*test.different + i%test.different)
				}
				m.Unique(addresses)
			}
			return m
		})
		if want := 8<<10 + 128*test.different; got > want {
			t.Errorf("a mailer keeps much more memory than its largest list takes\n"+
				"  lists: %d of %d addresses, %d different ones\n  got:   %d bytes\n  want:  at most %d bytes",
				test.lists, test.length, test.different, got, want)
		}
	}
}

// Each goroutine has a mailer of its own.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var senders sync.WaitGroup
	for range 8 {
		l := newList(r, 60, 30, 10)
		senders.Go(func() {
			var m mail.Mailer
			addresses := make([]string, len(l.addresses))
			for range 50 {
				copy(addresses, l.addresses)
				if got := m.Unique(addresses); !slices.Equal(got, l.want) {
					t.Errorf("wrong addresses when goroutines each have a mailer\n  got:  %s\n  want: %s", show(got),
						show(l.want))
					return
				}
			}
		})
	}
	senders.Wait()
}
