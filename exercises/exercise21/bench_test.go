package mail_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise21"
)

// usual is how many operations have the usual list: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkUnique is a list of 60 addresses, of which 30 are different. One address is new in
// each operation. After the usual operations every other list is of any length.
func BenchmarkUnique(b *testing.B) {
	r := newRand(b)
	few := list{}
	for i := range 60 {
		few.addresses = append(few.addresses, "reader "+strconv.Itoa(i%30)+"@example.org")
	}
	few.want = slices.Clone(few.addresses[:30])
	names := make([]string, 1000)
	for i := range names {
		names[i] = strconv.Itoa(int(r.Uint64()>>1)) + "@example.com"
	}
	var m mail.Mailer
	var others []list
	if b.N > usual {
		for n := range 100 {
			others = append(others, newList(r, n, r.IntN(n+1), 40))
		}
		for n := 256; n <= 2048; n *= 2 {
			others = append(others, newList(r, n+1, n/2, 20))
		}
		slices.Reverse(others) // the largest comes first
	}
	room := make([]string, 4<<10)
	for _, l := range append(others, few) { // warm up: the set grows
		m.Unique(room[:copy(room, l.addresses)])
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		l := few
		if i > usual && i%2 == 1 {
			l = others[i/2%len(others)]
		} else {
			place := (clock + i) % 30
			name := names[(clock+i)%len(names)]
			if slices.Contains(few.want, name) {
				name = few.want[place]
			}
			few.addresses[place], few.addresses[30+place], few.want[place] = name, name, name
		}
		if got := m.Unique(room[:copy(room, l.addresses)]); !slices.Equal(got, l.want) {
			b.Fatalf("wrong addresses\n  got:  %s\n  want: %s", show(got), show(l.want))
		}
	}
}
