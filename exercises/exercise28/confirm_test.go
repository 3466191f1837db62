package guest_test

import (
	"strings"
	"testing"

	"onthestack/exercises/exercise28"
)

// BenchmarkFindConfirmGuests finds guests with names of all lengths, written in any way.
func BenchmarkFindConfirmGuests(b *testing.B) {
	r := newRand(b)
	var register guest.Register
	beds := map[string]int{}
	for bed := range 400 {
		g := guest.Guest{Name: newName(r, ascii, 1+bed%guest.MaxName), Bed: bed}
		if register.Add(g) {
			beds[strings.ToLower(g.Name)] = bed
		}
	}
	var names []string
	var wants []int
	for name, bed := range beds {
		for range 5 {
			names, wants = append(names, otherCase(r, name)), append(wants, bed)
		}
	}
	i := 0
	for b.Loop() {
		at := i % len(names)
		if got, ok := register.Find(names[at]); !ok || got.Bed != wants[at] {
			b.Fatalf("wrong guest\n  name: %q\n  got:  bed %d, %v\n  want: bed %d, true", names[at], got.Bed, ok, wants[at])
		}
		i++
	}
}

// BenchmarkFindConfirmUnknown looks for names of all lengths that no guest has. Some begin as
// a guest's does.
func BenchmarkFindConfirmUnknown(b *testing.B) {
	r := newRand(b)
	var register guest.Register
	long := strings.ToLower(newName(r, ascii, guest.MaxName))
	register.Add(guest.Guest{Name: long})
	register.Add(guest.Guest{Name: long[:20]})
	names := make([]string, 499)
	for i := range names {
		most := 1 << 8
		if i%50 == 0 {
			most = 1 << 17
		}
		names[i] = otherCase(r, newName(r, ascii, newSize(r, most))) + "?"
		if i%3 == 0 {
			names[i] = otherCase(r, long) + names[i]
		}
	}
	i := 0
	for b.Loop() {
		if got, ok := register.Find(names[i%len(names)]); ok {
			b.Fatalf("a guest for a name that none has\n  name: %.100q\n  got:  %+v\n  want: none", names[i%len(names)],
				got)
		}
		i++
	}
}
