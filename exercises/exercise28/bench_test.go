package guest_test

import (
	"testing"

	"onthestack/exercises/exercise28"
)

// BenchmarkFind finds a guest who writes the name in a different way each time.
func BenchmarkFind(b *testing.B) {
	var r guest.Register
	r.Add(guest.Guest{Name: "Silvia@Harbor.Example", Bed: 11})
	r.Add(guest.Guest{Name: "Maria.Southquay@Harbor.Example", Bed: 12})
	names := [...]string{
		"Maria.Southquay@Harbor.Example", "MARIA.SOUTHQUAY@HARBOR.EXAMPLE", "maria.southquay@Harbor.example",
	}
	i := 0
	for b.Loop() {
		if _, ok := r.Find(names[i%len(names)]); !ok {
			b.Fatal("no guest")
		}
		i++
	}
}
